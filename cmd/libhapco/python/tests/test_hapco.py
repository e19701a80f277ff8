"""Tests of the module in a real Python with NumPy: python3 tests/test_hapco.py."""

import gc
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import numpy as np

import hapco
from hapco.palpation import PalpationEnv

PROBLEMS = os.environ.get("HAPCO_PROBLEMS", "")  # folder of .fc3d.gz files
PROGRAM = os.environ.get("HAPCO_PROGRAM", "")  # bin/hapco


def one_contact(normal, tangential, mu):
    """W, q, mu of a contact on springs of 1000 N/m."""
    return 1e-3 * np.eye(3), [normal, tangential, 0.0], mu


class Contact(unittest.TestCase):
    def test_law_of_one_contact(self):
        for normal, tangential, status, r in ((1e-3, 0, "open", (0, 0, 0)), (-1e-3, 1e-4, "stick", (1, -0.1, 0)), (-1e-3, 2e-3, "slip", (1, -0.5, 0))):
            s = hapco.solve(*one_contact(normal, tangential, 0.5))
            self.assertTrue(s.converged)
            self.assertEqual(s.status[0], status)
            np.testing.assert_allclose(s.r, [r], atol=1e-9)
            self.assertEqual(s.r.shape, (1, 3))

    def test_three_ways_to_give_W_agree(self):
        from scipy.sparse import csr_matrix

        files = sorted(f for f in os.listdir(PROBLEMS) if f.endswith(".fc3d.gz"))
        self.assertTrue(files)
        for f in files:
            p = hapco.read_fc3d(os.path.join(PROBLEMS, f))
            dense = hapco.solve(p.W, p.q, p.mu, tol=1e-12)
            sparse = hapco.solve(csr_matrix(p.W), p.q, p.mu, tol=1e-12)
            asked = hapco.solve(lambda R: p.W @ R, p.q, p.mu, tol=1e-12)
            size = np.abs(dense.r).max()
            self.assertTrue(dense.converged and asked.converged)
            np.testing.assert_array_equal(dense.r, sparse.r)
            np.testing.assert_allclose(asked.r, dense.r, atol=1e-8 * size)
            self.assertLess(asked.calls, 3 * len(p.mu) / 8 + 5)
            if p.r is not None:
                np.testing.assert_allclose(dense.r, p.r, atol=1e-6 * size)

    def test_a_second_opinion(self):
        """Projected Gauss-Seidel written here finds the same forces."""
        p = hapco.read_fc3d(os.path.join(PROBLEMS, "A16_alu-tissue_bottom_pen_mu0.3_inc04.fc3d.gz"))
        r, rho = np.zeros(p.q.size), 1 / p.W.diagonal().max()
        for _ in range(3000):
            for c in range(len(p.mu)):
                k = slice(3 * c, 3 * c + 3)
                x = p.W[k] @ r + p.q[k]
                t = r[k] - rho * np.array([x[0] + p.mu[c] * np.hypot(x[1], x[2]), x[1], x[2]])
                tangential = np.hypot(t[1], t[2])
                if p.mu[c] * tangential <= -t[0]:
                    t[:] = 0
                elif tangential > p.mu[c] * t[0]:
                    n = (t[0] + p.mu[c] * tangential) / (1 + p.mu[c] ** 2)
                    t[:] = n, *(p.mu[c] * n * t[1:] / tangential)
                r[k] = t
        np.testing.assert_allclose(hapco.solve(p.W, p.q, p.mu, tol=1e-12).r.ravel(), r, atol=1e-6 * np.abs(r).max())

    def test_hostile_arguments(self):
        W, q, mu = one_contact(-1e-3, 0, 0.5)
        for what, error in ((lambda: hapco.solve(W[:2], q, mu), hapco.InvalidError), (lambda: hapco.solve(W, q[:2], mu), ValueError),
                            (lambda: hapco.solve(W, q, [0.1, 0.2]), ValueError), (lambda: hapco.solve(W, q, -1), ValueError),
                            (lambda: hapco.solve(W, [np.nan] * 3, mu), ValueError), (lambda: hapco.solve(np.full((3, 3), np.inf), q, mu), ValueError),
                            (lambda: hapco.solve(W, q, mu, tol=-1), ValueError), (lambda: hapco.solve(W, q, mu, solver="none"), LookupError),
                            (lambda: hapco.solve(W, q, mu, form="none"), LookupError), (lambda: hapco.solve(W, q, mu, r0=[1]), ValueError),
                            (lambda: hapco.solve(lambda R: R[:1], q, mu), ValueError), (lambda: hapco.solve(lambda R: R * np.nan, q, mu), hapco.Error),
                            (lambda: hapco.solve(lambda R: 1 / 0, q, mu), ZeroDivisionError), (lambda: hapco.read_fc3d("/no/such"), hapco.Error)):
            with self.assertRaises(error):
                what()


class World(unittest.TestCase):
    def drive(self, w, steps):
        out = []
        for i in range(steps):
            out.append(w.step(w.start[:3] + (2e-3 * np.sin(i / 20), -1e-4 * (i % 60), 0)).force)
        return np.array(out)

    def test_same_calls_same_bytes_and_snapshots(self):
        for scene in ("gyroscope", "bench-a-16"):
            with hapco.World(scene) as w, hapco.World(scene) as other:
                first = self.drive(w, 40)
                np.testing.assert_array_equal(first, self.drive(other, 40))
                s = w.snapshot()
                after = self.drive(w, 40)
                w.restore(s)
                np.testing.assert_array_equal(after, self.drive(w, 40))
                with self.assertRaises(hapco.InvalidError):
                    other.restore(s)

    def test_a_record_is_read_back(self):
        with tempfile.TemporaryDirectory() as d, hapco.World("bench-a-16") as w:
            file = os.path.join(d, "a.mcap")
            w.record(file)
            force = self.drive(w, 30)
            w.end_record()
            rows = hapco.read_recording(file)
            np.testing.assert_array_equal(rows["force"], force)
            np.testing.assert_allclose(rows["target"][0, :3], w.start[:3])
            if PROGRAM:  # and the program makes its steps again to the last bit
                out = subprocess.run([PROGRAM, "replay", file, "--headless", "--exact"], capture_output=True, text=True)
                self.assertEqual(out.returncode, 0, out.stderr)
                self.assertIn("30 of 30", out.stdout)
            self.assertRaises(hapco.Error, hapco.read_recording, d)

    def test_the_program_finds_the_same(self):
        if not PROGRAM:
            self.fail("HAPCO_PROGRAM names no program")
        out = json.loads(subprocess.run([PROGRAM, "trace", "bench-a-16", "--json"], capture_output=True, text=True, check=True).stdout)
        with hapco.World("bench-a-16") as w:
            for step in out["steps"]:
                r = w.reach(w.start[:3] + step["offset_m"])
                np.testing.assert_array_equal(r.force, step["force_N"])

    def test_keys(self):
        with hapco.World("bench-a-16", set={"friction": 0.25}) as w:
            self.assertEqual(w.keys["friction"], 0.25)
            w.keys["friction"] = 0.4
            self.assertEqual(w.keys["friction"], 0.4)
            self.assertIn("friction", list(w.keys))
            solver = w.keys.info("contact.solver")
            self.assertIn("auto", solver.words)
            w.keys["contact.solver"] = "nsgs"
            self.assertEqual(w.keys["contact.solver"], "nsgs")
            for name, value in (("friction", np.nan), ("friction", -1), ("contact.solver", "none"), ("no such key", 1)):
                with self.assertRaises(hapco.Error):
                    w.keys[name] = value
            self.assertEqual(w.keys["friction"], 0.4)

    def test_friction_drags(self):
        drag = []
        for mu in (0.0, 0.3):
            with hapco.World("bench-a-16", set={"friction": mu}) as w:
                w.reach(w.start[:3] - (0, 2e-3, 0))
                r = w.reach(w.start[:3] + (2e-3, -2e-3, 0))
                drag.append(np.hypot(r.force[0], r.force[2]))
                c = w.contacts
                self.assertTrue((c["r"][:, 0] >= 0).all())
                tangential = np.hypot(c["r"][:, 1], c["r"][:, 2])
                self.assertTrue((tangential <= mu * c["r"][:, 0] * (1 + 1e-9)).all())
                np.testing.assert_allclose(c["force"].sum(axis=0), r.force, atol=1e-9 * np.abs(r.force).max())
                np.testing.assert_allclose(np.einsum("nk,nkx->nx", c["r"], c["frame"]), c["force"], atol=1e-9 * np.abs(r.force).max())
        self.assertGreater(drag[1], 2 * drag[0])

    def test_surfaces_and_solids(self):
        with hapco.World("bench-a-16") as w:
            w.reach(w.start[:3] - (0, 2e-3, 0))
            soft = next(s for s in w.surfaces if not s.rigid)
            before = soft.points.copy()
            self.assertLess(soft.triangles.max(), len(before))
            w.reach(w.start[:3] - (0, 4e-3, 0))
            self.assertGreater(np.abs(soft.points - before).max(), 1e-4)
            with self.assertRaises(ValueError):
                soft.points[0, 0] = 0
            s = w.solid(w.surfaces.index(soft))
            self.assertEqual(s.displacement.shape, s.points.shape)
            self.assertGreater(s.von_mises.max(), 0)
            kept = soft.points
        del w, soft
        gc.collect()
        self.assertTrue(np.isfinite(kept).all())  # its memory stays as long as it does

    def test_hostile(self):
        w = hapco.World("ice-billiard")
        for pose in ([np.nan] * 3, [1e308] * 3, [0] * 7, [0] * 5):
            with self.assertRaises(ValueError):
                w.step(pose)
        for dt in (-1, np.nan, 1e300):
            with self.assertRaises(ValueError):
                w.step(dt=dt)
        w.close()
        w.close()
        for call in (w.step, w.reset, w.snapshot, lambda: w.contacts, lambda: w.numbers, lambda: w.keys["friction"]):
            with self.assertRaises(hapco.ClosedError):
                call()
        self.assertRaises(hapco.Error, hapco.World, "no-such-scene")
        self.assertRaises(hapco.Error, hapco.World, "x", text="kind = [[")

    def test_threads(self):
        w, seen = hapco.World("bricks"), []

        def work():
            for _ in range(20):
                try:
                    w.step()
                except hapco.BusyError:
                    pass
                except BaseException as e:
                    seen.append(e)

        threads = [threading.Thread(target=work) for _ in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(seen, [])
        w.close()

    def test_rigid_bodies_and_grains(self):
        with hapco.World("dominoes") as w:
            self.assertGreater(len(w.bodies), 3)
            self.assertGreater(len(w.shapes[0].points), 3)
            np.testing.assert_allclose(np.linalg.norm(w.bodies["rotation"], axis=1), 1, atol=1e-9)
        with hapco.World("packing") as w:
            w.step()
            self.assertTrue((w.points["radius"] > 0).all() and len(w.points) > 10)
            self.assertGreater(w.step().time, 0)


class Palpation(unittest.TestCase):
    def test_the_lump_is_where_it_is_hard(self):
        env = PalpationEnv()
        state, _ = env.reset(seed=3)
        self.assertEqual(state.shape, env.observation_space.shape)
        lump = env._at / env.half
        _, reward, done, _, info = env.step([*-lump, -1])
        self.assertFalse(done)
        self.assertEqual(reward, -0.05)
        state, *_, there = env.step([*lump, -1])
        self.assertGreater(there["force"], 3 * info["force"])
        self.assertGreater(state[2], 2)
        _, reward, done, _, info = env.step([*lump, 1])
        self.assertTrue(done and reward > 0.999 and info["distance"] < 1e-6)
        self.assertEqual(env.reset(seed=3)[0].tolist(), [0] * 5)
        np.testing.assert_array_equal(env._at / env.half, lump)
        env.close()


def overhead():
    """Prints what a step of no time costs, us of processor time."""
    with hapco.World("gyroscope") as w:
        pose = w.start
        for _ in range(5):
            t, rounds = time.process_time(), 20000
            for _ in range(rounds):
                w.step(pose, 0.0)
            print(f"{1e6 * (time.process_time() - t) / rounds:.2f} us a step of no time")


if __name__ == "__main__":
    overhead() if sys.argv[1:] == ["overhead"] else unittest.main()
