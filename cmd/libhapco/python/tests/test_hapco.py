"""Tests of the module in a real Python with NumPy: python3 tests/test_hapco.py."""

import gc
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import warnings

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


class CalculiX(unittest.TestCase):
    def test_what_is_no_matrix_is_refused(self):
        with tempfile.TemporaryDirectory() as d:
            job = os.path.join(d, "a")
            for dof, sti in ((None, None), ("", ""), ("5.1 5.2", "1 1 2.0\n1 3 1.0\n"), ("5.1", "x y z"), ("5.1", "1 1 nan"), ("5.7", "1 1 1"), ("five", "1 1 1")):
                for ending, text in ((".dof", dof), (".sti", sti)):
                    if text is not None:
                        open(job + ending, "w").write(text)
                with self.assertRaises(hapco.Error) as e:
                    hapco.read_calculix(job)
                self.assertNotIn("\n", str(e.exception))
            open(job + ".dof", "w").write("5.1 5.3")
            open(job + ".sti", "w").write("1 1 2.0\n1 2 1.0\n2 2 3.0\n")
            K = hapco.read_calculix(job)
            np.testing.assert_array_equal(K.K.toarray(), [[2, 1], [1, 3]])
            H = K.interpolation([[5, 9]], [[0.5, 0.5]], [np.eye(3)])  # node 9 is held
            np.testing.assert_array_equal(H.toarray(), [[0.5, 0], [0, 0], [0, 0.5]])


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
            self.assertEqual(w.fields["von Mises stress"], "Pa")
            field = soft.field("von Mises stress")
            self.assertEqual(field.shape, (len(soft.points),))
            self.assertGreater(field.max(), 0.1 * s.von_mises.max())
            self.assertRaises(LookupError, soft.field, "none")
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


@unittest.skipUnless(PROGRAM, "HAPCO_PROGRAM names no program")
class Door(unittest.TestCase):
    """hapco serve, and hapco.connect."""

    def serve(self, *args):
        d = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, d)
        path = os.path.join(d, "a.sock")
        p = subprocess.Popen([PROGRAM, "serve", *args, "--socket", path], stderr=subprocess.PIPE, text=True)
        self.addCleanup(p.stderr.close)
        self.addCleanup(p.wait)
        self.addCleanup(p.kill)
        while not os.path.exists(path):
            self.assertIsNone(p.poll(), "the program has ended")
            time.sleep(0.01)
        return path, p

    def test_the_same_world_there_and_here(self):
        for scene in ("ice-billiard", "bench-a-16"):
            path, _ = self.serve(scene, "--set", "friction=0.2")
            with hapco.World(scene, set={"friction": 0.2}) as here, hapco.connect(path) as there:
                for name in dir(here):
                    if not name.startswith("_"):
                        self.assertTrue(hasattr(there, name), name)
                self.assertEqual((here.kind, here.title, here.own_step, list(here.keys), here.fields, list(here.numbers)),
                                 (there.kind, there.title, there.own_step, list(there.keys), there.fields, list(there.numbers)))
                here.keys["friction"] = there.keys["friction"] = 0.35
                self.assertEqual(here.keys["friction"], there.keys["friction"])
                for name in here.keys:
                    self.assertEqual(here.keys.info(name), there.keys.info(name))

                def same():
                    for i in range(30):
                        pose = here.start[:3] + (2e-3 * np.sin(i / 9), -1e-4 * i, 0)
                        a, b = here.step(pose), there.step(pose)
                        self.assertEqual(a._row.tobytes(), b._row.tobytes())
                    for what in ("contacts", "bodies", "points"):
                        self.assertEqual(getattr(here, what).tobytes(), getattr(there, what).tobytes())
                    for a, b in zip([*here.surfaces, *here.shapes], [*there.surfaces, *there.shapes]):
                        self.assertEqual((a.name, a.driven, a.rigid), (b.name, b.driven, b.rigid))
                        np.testing.assert_array_equal(a.points, b.points)
                        np.testing.assert_array_equal(a.triangles, b.triangles)
                    for k, v in here.numbers.items():
                        if not k.endswith("_s"):  # measured
                            np.testing.assert_array_equal(v, there.numbers[k], k)

                with tempfile.TemporaryDirectory() as d:
                    files = [os.path.join(d, n) for n in ("here.mcap", "there.mcap")]
                    for w, f in zip((here, there), files):
                        w.record(f)
                    same()
                    for w in (here, there):
                        w.end_record()
                    np.testing.assert_array_equal(*map(hapco.read_recording, files))
                    out = subprocess.run([PROGRAM, "replay", files[1], "--headless", "--exact"], capture_output=True, text=True)
                    self.assertIn("30 of 30", out.stdout, out.stderr)
                    self.assertRaises(hapco.Error, there.record, files[0])
                kept = here.snapshot(), there.snapshot()
                same()
                for w, k in zip((here, there), kept):
                    w.restore(k)
                same()
                if here.kind == "tissue":
                    for field in here.fields:
                        np.testing.assert_array_equal(here.surfaces[1].field(field), there.surfaces[1].field(field))
                    np.testing.assert_array_equal(here.solid(1).stress, there.solid(1).stress)
                    pose = here.start[:3] - (0, 4e-3, 0)
                    self.assertEqual(here.reach(pose)._row.tobytes(), there.reach(pose)._row.tobytes())
                with hapco.connect(path, hold=False) as looks:
                    np.testing.assert_array_equal(looks.report.force, there.report.force)
                    self.assertRaises(hapco.BusyError, looks.step)
                    self.assertRaises(hapco.BusyError, hapco.connect, path)
                for pose in ([np.nan] * 3, [1e308] * 3, [0] * 7, [0] * 5):
                    self.assertRaises(ValueError, there.step, pose)
                for dt in (-1, np.nan, 1e300)[: 3 if here.own_step else 2]:
                    self.assertRaises(ValueError, there.step, None, dt)
                self.assertRaises(LookupError, there.keys.__setitem__, "no such key", 1)
                self.assertRaises(ValueError, there.restore, kept[0])
            self.assertRaises(hapco.ClosedError, there.step)

    def test_it_goes_with_its_path(self):
        for live in ((), ("--live",)):
            path, p = self.serve("gyroscope", *live)
            self.assertEqual(os.stat(path).st_mode & 0o777, 0o600)
            w = hapco.connect(path)
            w.step()
            p.terminate()
            self.assertEqual(p.wait(), 130)
            self.assertFalse(os.path.exists(path))
            self.assertRaises(hapco.ClosedError, w.step)
            self.assertRaises(hapco.ClosedError, hapco.connect, path)

    def test_a_hand_in_real_time(self):
        """What reaches the hand has passed the safety chain: no force before free space, none beyond the device's, none for
        who is too fast, none for who is silent; and what is no pose moves nothing."""
        path, p = self.serve("bench-a-16", "--live")
        with hapco.connect(path) as w, hapco.connect(path, hold=False) as looks:
            up, down = w.start[:3] + (0, 5e-3, 0), w.start[:3] - (0, 3e-3, 0)

            def go(to, steps=100):
                at = go.at
                for i in range(1, steps + 1):
                    r = w.step(at + (to - at) * i / steps, 2e-3)
                    self.assertLessEqual(np.linalg.norm(r.force), 3.3)
                go.at = to
                return r

            go.at = w.start[:3]
            r = go(down)
            self.assertEqual(np.abs(r.force).max(), 0)  # it began in contact
            self.assertIn("lift", w.message)
            force = 0
            while force < 0.05:  # the ramp takes a second
                go(up)
                force = go(down).force[1]
            self.assertEqual(looks.report.force[1] > 0, True)
            self.assertGreater(looks.numbers["contacts"], 0)
            w.keys["friction"] = 0.1
            self.assertEqual(w.keys["friction"], 0.1)
            self.assertRaises(hapco.Error, w.keys.__setitem__, "friction", -1)
            for pose in ([np.nan] * 3, [1e308] * 3, [0] * 7):
                self.assertRaises(ValueError, w.step, pose)
            self.assertRaises(ValueError, w.step, None, 1e6)
            for call in (w.snapshot, lambda: w.reach(up), lambda: w.solid(0)):
                self.assertRaises(ValueError, call)
            while w.step(down + (0, 1e-2 * np.random.rand(), 0)).force.any():  # metres a second
                pass
            while go(down).force[1] == 0:
                go(up)
            while looks.report.force.any():  # w says nothing
                time.sleep(0.01)
            while looks.surfaces[1].field("von Mises stress") is None:
                time.sleep(0.01)
            self.assertIsNone(p.poll())

    def test_hostile_clients(self):
        path, p = self.serve("bench-a-16")
        with hapco.connect(path) as w, hapco.World("bench-a-16") as other:
            rng = np.random.default_rng(1)
            for i in range(60):
                s = socket.socket(socket.AF_UNIX)
                s.connect(path)
                try:
                    s.sendall([b"GET / HTTP/1.1\r\n\r\n", b"\xff" * 8, b"", rng.bytes(5000), b"\x10\0\0\0\0\0\0\0" + rng.bytes(16)][i % 5])
                except OSError:
                    pass
                s.close()
                pose = w.start[:3] - (0, 5e-5 * i, 0)
                self.assertEqual(w.step(pose)._row.tobytes(), other.step(pose)._row.tobytes())
            self.assertIsNone(p.poll())


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


    def test_it_is_an_environment_of_gymnasium(self):
        try:
            from gymnasium.utils.env_checker import check_env
        except ImportError:
            self.skipTest("gymnasium is not installed")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            env = PalpationEnv(presses=4)
            check_env(env, skip_render_check=True)
            env.close()


def overhead():
    """Prints what a step of no time costs, us of processor time."""
    with hapco.World("gyroscope") as w:
        pose = w.start
        for _ in range(3):
            t, rounds = time.process_time(), 20000
            for _ in range(rounds):
                w.step(pose, 0.0)
            print(f"{1e6 * (time.process_time() - t) / rounds:.2f} us a step of no time")


if __name__ == "__main__":
    overhead() if sys.argv[1:] == ["overhead"] else unittest.main()
