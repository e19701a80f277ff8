// Steps the field of convex floes on standard input with Box2D, and prints, as JSON,
// the processor time of a step and the kinetic energy at the start and the end.
//
// Input: steps, length of a step (s), restitution, friction, number of bodies; then
// per body: fixed (0 or 1), mass per area, place x y, velocity x y, rate, number of
// vertices, vertices.
#include <box2d/box2d.h>
#include <cstdio>
#include <ctime>
#include <vector>

static double cpu() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

int main() {
  int steps, n;
  double dt, restitution, friction;
  if (scanf("%d %lf %lf %lf %d", &steps, &dt, &restitution, &friction, &n) != 5) return 2;
  b2World world(b2Vec2(0, 0));
  world.SetAllowSleeping(false);
  std::vector<b2Body *> bodies;
  for (int i = 0; i < n; i++) {
    int fixed, m;
    double areal, x, y, vx, vy, w;
    if (scanf("%d %lf %lf %lf %lf %lf %lf %d", &fixed, &areal, &x, &y, &vx, &vy, &w, &m) != 8 || m > b2_maxPolygonVertices) return 2;
    std::vector<b2Vec2> p(m);
    for (auto &v : p) {
      double a, b;
      if (scanf("%lf %lf", &a, &b) != 2) return 2;
      v.Set(a, b);
    }
    b2BodyDef d;
    d.type = fixed ? b2_staticBody : b2_dynamicBody;
    d.position.Set(x, y);
    d.linearVelocity.Set(vx, vy);
    d.angularVelocity = w;
    b2PolygonShape shape;
    shape.Set(p.data(), m);
    b2FixtureDef f;
    f.shape = &shape;
    f.density = areal;
    f.friction = friction;
    f.restitution = restitution;
    f.restitutionThreshold = 0;
    b2Body *b = world.CreateBody(&d);
    b->CreateFixture(&f);
    bodies.push_back(b);
  }
  auto energy = [&] {
    double sum = 0;
    for (b2Body *b : bodies)
      if (b->GetType() == b2_dynamicBody) {
        double w = b->GetAngularVelocity(), r2 = b->GetLocalCenter().LengthSquared();
        sum += 0.5 * b->GetMass() * b->GetLinearVelocity().LengthSquared() + 0.5 * (b->GetInertia() - b->GetMass() * r2) * w * w;
      }
    return sum;
  };
  double e0 = energy(), start = cpu();
  for (int i = 0; i < steps; i++) world.Step(dt, 8, 3);
  double used = (cpu() - start) / steps;
  printf("{\"seconds\":%.9g,\"start\":%.12g,\"end\":%.12g,\"contacts\":%d}\n", used, e0, energy(), world.GetContactCount());
}
