// peer measures FCL, the Flexible Collision Library, on the queries that
// "hapco bench collision" gives to package collision: the same triangles, the
// same positions of the nodes in each step, the same points.
//
//   peer FILE SECONDS [AABB]
//
// Given AABB, the other kinds of volumes, which take longer by far, are left out.
//
// FILE, little-endian: int64 nodes, triangles, frames, points; float64 reach,
// radius; int32 triangles[3]; for each frame float64 nodes[3], float64 points[3].
//
// A step is what a user of FCL does when a surface deforms: replace the vertices
// of a BVHModel and refit it, then ask distance() between it and a small sphere
// at each point, with nearest points, and give up beyond reach. Replacing is
// right here: updating would fit boxes around the positions before and after,
// for continuous collision detection. Refitting runs bottom-up, "fast but less
// compact", where that is right: with RSS, and OBBRSS which contains it, FCL 0.7
// then misses what is near, so that these are refitted top-down.
//
// One line of JSON for each kind of bounding volume: times in microseconds, of
// the clock and of the thread's processor time, and the distances of the first
// round of frames, -1 where nothing is within reach.
#include <time.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include <fcl/geometry/bvh/BVH_model.h>
#include <fcl/narrowphase/detail/gjk_solver_libccd.h>
#include <fcl/narrowphase/detail/traversal/collision_node.h>
#include <fcl/narrowphase/detail/traversal/distance/mesh_shape_distance_traversal_node.h>
#include <fcl/narrowphase/distance.h>

using Vec = fcl::Vector3<double>;

struct Queries {
  double reach, radius;
  std::vector<fcl::Triangle> triangles;
  std::vector<std::vector<Vec>> surface, points;
};

static double now(clockid_t clock) {
  timespec t;
  clock_gettime(clock, &t);
  return 1e6 * t.tv_sec + 1e-3 * t.tv_nsec;
}

static bool read(const char* path, Queries& q) {
  std::ifstream in(path, std::ios::binary);
  int64_t n[4];
  auto get = [&in](void* to, size_t bytes) { return bool(in.read(static_cast<char*>(to), bytes)); };
  if (!get(n, sizeof n) || !get(&q.reach, 8) || !get(&q.radius, 8)) return false;
  for (int64_t i = 0; i < n[1]; ++i) {
    int32_t t[3];
    if (!get(t, sizeof t)) return false;
    q.triangles.emplace_back(t[0], t[1], t[2]);
  }
  auto vectors = [&](int64_t count, std::vector<Vec>& to) {
    to.resize(count);
    for (auto& v : to) {
      double x[3];
      if (!get(x, sizeof x)) return false;
      v = Vec(x[0], x[1], x[2]);
    }
    return true;
  };
  q.surface.resize(n[2]);
  q.points.resize(n[2]);
  for (int64_t f = 0; f < n[2]; ++f)
    if (!vectors(n[0], q.surface[f]) || !vectors(n[3], q.points[f])) return false;
  return true;
}

// ask is the public way: RSS, kIOS and OBBRSS.
template <typename BV>
struct Ask {
  static void distance(fcl::BVHModel<BV>& model, const fcl::Sphere<double>& ball, const fcl::Transform3<double>& at,
                       const fcl::DistanceRequest<double>& request, fcl::DistanceResult<double>& result) {
    fcl::distance(&model, fcl::Transform3<double>::Identity(), &ball, at, request, result);
  }
};

// With boxes along the axes fcl::distance() copies the whole model in each call.
// The traversal beneath it does not need that.
template <>
struct Ask<fcl::AABB<double>> {
  static void distance(fcl::BVHModel<fcl::AABB<double>>& model, const fcl::Sphere<double>& ball, const fcl::Transform3<double>& at,
                       const fcl::DistanceRequest<double>& request, fcl::DistanceResult<double>& result) {
    using Solver = fcl::detail::GJKSolver_libccd<double>;
    static const Solver solver;
    fcl::detail::MeshShapeDistanceTraversalNode<fcl::AABB<double>, fcl::Sphere<double>, Solver> node;
    node.request = request;
    node.result = &result;
    node.model1 = &model;
    node.tf1.setIdentity();
    node.model2 = &ball;
    node.tf2 = at;
    node.nsolver = &solver;
    node.vertices = model.vertices;
    node.tri_indices = model.tri_indices;
    fcl::computeBV(ball, at, node.model2_bv);
    fcl::detail::distance(&node);
  }
};

static double rank(std::vector<double> x, double share) {
  std::sort(x.begin(), x.end());
  return x[std::min(x.size() - 1, size_t(share * x.size()))];
}

template <typename BV>
static void measure(const char* name, const Queries& q, double seconds, bool bottomUp) {
  const double none = std::numeric_limits<double>::infinity();
  double start = now(CLOCK_MONOTONIC);
  fcl::BVHModel<BV> model;
  model.beginModel(q.triangles.size(), q.surface[0].size());
  model.addSubModel(q.surface[0], q.triangles);
  model.endModel();
  const double build = now(CLOCK_MONOTONIC) - start;

  const fcl::Sphere<double> ball(q.radius);
  fcl::DistanceRequest<double> request(true);
  std::vector<double> refit, query, step, refitCPU, queryCPU, stepCPU, found;
  fcl::Transform3<double> at = fcl::Transform3<double>::Identity();
  start = now(CLOCK_MONOTONIC);
  for (int round = 0; round < 2 || now(CLOCK_MONOTONIC) - start < 1e6 * seconds; ++round) {
    for (size_t f = 0; f < q.surface.size(); ++f) {
      const double t0 = now(CLOCK_MONOTONIC), c0 = now(CLOCK_THREAD_CPUTIME_ID);
      model.beginReplaceModel();
      model.replaceSubModel(q.surface[f]);
      model.endReplaceModel(true, bottomUp);
      const double t1 = now(CLOCK_MONOTONIC), c1 = now(CLOCK_THREAD_CPUTIME_ID);
      double least[4096];
      const size_t count = std::min<size_t>(4096, q.points[f].size());
      for (size_t i = 0; i < count; ++i) {
        at.translation() = q.points[f][i];
        fcl::DistanceResult<double> result(q.reach - q.radius);
        Ask<BV>::distance(model, ball, at, request, result);
        least[i] = result.o1 ? result.min_distance : none;
      }
      const double t2 = now(CLOCK_MONOTONIC), c2 = now(CLOCK_THREAD_CPUTIME_ID);
      if (round == 0) {
        found.insert(found.end(), least, least + count);
        continue;  // warming up
      }
      refit.push_back(t1 - t0);
      query.push_back(t2 - t1);
      step.push_back(t2 - t0);
      refitCPU.push_back(c1 - c0);
      queryCPU.push_back(c2 - c1);
      stepCPU.push_back(c2 - c0);
    }
  }
  std::printf("{\"volume\":\"%s\",\"build_us\":%.1f,\"steps\":%zu", name, build, step.size());
  std::printf(",\"us_median\":%.3f,\"us_p99\":%.3f,\"cpu_us_median\":%.3f", rank(step, 0.5), rank(step, 0.99), rank(stepCPU, 0.5));
  std::printf(",\"refit_us\":%.3f,\"refit_cpu_us\":%.3f", rank(refit, 0.5), rank(refitCPU, 0.5));
  std::printf(",\"query_us\":%.3f,\"query_cpu_us\":%.3f,\"distances\":[", rank(query, 0.5), rank(queryCPU, 0.5));
  for (size_t i = 0; i < found.size(); ++i) std::printf("%s%.17g", i ? "," : "", found[i] == none ? -1 : found[i] + q.radius);
  std::printf("]}\n");
  std::fflush(stdout);
}

int main(int argc, char** argv) {
  Queries q;
  if (argc < 3 || !read(argv[1], q) || q.surface.empty()) {
    std::fprintf(stderr, "peer: queries and seconds wanted\n");
    return 2;
  }
  const double seconds = std::atof(argv[2]);
  measure<fcl::AABB<double>>("AABB", q, seconds, true);
  if (argc > 3) return 0;
  measure<fcl::kIOS<double>>("kIOS", q, seconds, true);
  measure<fcl::RSS<double>>("RSS", q, seconds, false);
  measure<fcl::OBBRSS<double>>("OBBRSS", q, seconds, false);
  return 0;
}
