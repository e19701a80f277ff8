// A wall of bricks on a floor, struck by a ball, in ODE (-DODE) or Bullet. Text on standard input: steps at rest, steps
// struck, seconds of a step, friction; half the edges and the mass of a brick, their number and places; radius, mass,
// place and velocity of the ball. Writes one line of JSON.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <vector>

static double cpu() {
	timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec + 1e-9 * t.tv_nsec;
}

struct State { double x[3], kinetic; };
static double mu, h, deepest;

#ifdef ODE
#include <ode/ode.h>
static dWorldID world;
static dSpaceID space;
static dJointGroupID joints;
static std::vector<dBodyID> bodies;
static void open() {
	dInitODE();
	world = dWorldCreate();
	space = dSimpleSpaceCreate(0);
	joints = dJointGroupCreate(0);
	dWorldSetGravity(world, 0, -9.81, 0);
	dCreatePlane(space, 0, 1, 0, 0);
}
static void add(const double *half, double radius, double m, const double *x, const double *v) {
	dBodyID b = dBodyCreate(world);
	dMass mass;
	dGeomID g;
	if (radius > 0) {
		dMassSetSphereTotal(&mass, m, radius);
		g = dCreateSphere(space, radius);
	} else {
		dMassSetBoxTotal(&mass, m, 2 * half[0], 2 * half[1], 2 * half[2]);
		g = dCreateBox(space, 2 * half[0], 2 * half[1], 2 * half[2]);
	}
	dBodySetMass(b, &mass);
	dGeomSetBody(g, b);
	dBodySetPosition(b, x[0], x[1], x[2]);
	dBodySetLinearVel(b, v[0], v[1], v[2]);
	bodies.push_back(b);
}
static void near(void *, dGeomID a, dGeomID b) {
	dContact c[8];
	int n = dCollide(a, b, 8, &c[0].geom, sizeof(dContact));
	for (int i = 0; i < n; i++) {
		c[i].surface.mode = dContactApprox1;
		c[i].surface.mu = mu;
		deepest = std::max(deepest, (double)c[i].geom.depth);
		dJointAttach(dJointCreateContact(world, joints, c + i), dGeomGetBody(a), dGeomGetBody(b));
	}
}
static void step() {
	dSpaceCollide(space, 0, near);
	dWorldQuickStep(world, h);
	dJointGroupEmpty(joints);
}
static State state(int i) {
	const dReal *x = dBodyGetPosition(bodies[i]), *v = dBodyGetLinearVel(bodies[i]), *o = dBodyGetAngularVel(bodies[i]);
	dVector3 w;
	dBodyVectorFromWorld(bodies[i], o[0], o[1], o[2], w);
	dMass m;
	dBodyGetMass(bodies[i], &m);
	State s = {{x[0], x[1], x[2]}, 0};
	for (int k = 0; k < 3; k++) s.kinetic += (m.mass * v[k] * v[k] + m.I[5 * k] * w[k] * w[k]) / 2;
	return s;
}
#else
#include <btBulletDynamicsCommon.h>
static btDiscreteDynamicsWorld *world;
static std::vector<btRigidBody *> bodies;
static btRigidBody *body(btCollisionShape *shape, double m, const double *x, const double *v) {
	btVector3 inertia(0, 0, 0);
	if (m > 0) shape->calculateLocalInertia(m, inertia);
	btTransform at(btQuaternion::getIdentity(), btVector3(x[0], x[1], x[2]));
	btRigidBody::btRigidBodyConstructionInfo info(m, new btDefaultMotionState(at), shape, inertia);
	info.m_friction = std::sqrt(mu); // of two bodies the product
	btRigidBody *b = new btRigidBody(info);
	b->setLinearVelocity(btVector3(v[0], v[1], v[2]));
	world->addRigidBody(b);
	return b;
}
static void open() {
	auto *config = new btDefaultCollisionConfiguration;
	world = new btDiscreteDynamicsWorld(new btCollisionDispatcher(config), new btDbvtBroadphase, new btSequentialImpulseConstraintSolver, config);
	world->setGravity(btVector3(0, -9.81, 0));
	double at[3] = {0, 0, 0};
	body(new btStaticPlaneShape(btVector3(0, 1, 0), 0), 0, at, at);
}
static void add(const double *half, double radius, double m, const double *x, const double *v) {
	btCollisionShape *s = radius > 0 ? (btCollisionShape *)new btSphereShape(radius) : new btBoxShape(btVector3(half[0], half[1], half[2]));
	bodies.push_back(body(s, m, x, v));
}
static void step() {
	world->stepSimulation(h, 0, h);
	btDispatcher *d = world->getDispatcher();
	for (int i = 0; i < d->getNumManifolds(); i++) {
		btPersistentManifold *m = d->getManifoldByIndexInternal(i);
		for (int k = 0; k < m->getNumContacts(); k++) deepest = std::max(deepest, -(double)m->getContactPoint(k).getDistance());
	}
}
static State state(int i) {
	btRigidBody *b = bodies[i];
	btVector3 x = b->getWorldTransform().getOrigin(), v = b->getLinearVelocity(), w = b->getAngularVelocity() * b->getWorldTransform().getBasis();
	State s = {{x[0], x[1], x[2]}, 0};
	for (int k = 0; k < 3; k++) s.kinetic += (v[k] * v[k] / b->getInvMass() + w[k] * w[k] / b->getInvInertiaDiagLocal()[k]) / 2;
	return s;
}
#endif

int main() {
	int rest, struck, n;
	double half[3], m, radius, heavy, x[3], v[3], still[3] = {0, 0, 0};
	if (scanf("%d %d %lf %lf %lf %lf %lf %lf %d", &rest, &struck, &h, &mu, half, half + 1, half + 2, &m, &n) != 9) return 1;
	open();
	std::vector<State> start;
	for (int i = 0; i < n; i++) {
		if (scanf("%lf %lf %lf", x, x + 1, x + 2) != 3) return 1;
		add(half, 0, m, x, still);
		start.push_back(state(i));
	}
	if (scanf("%lf %lf %lf %lf %lf %lf %lf %lf", &radius, &heavy, x, x + 1, x + 2, v, v + 1, v + 2) != 8) return 1;
	std::vector<double> times;
	for (int i = 0; i < rest; i++) {
		double t = cpu();
		step();
		times.push_back(cpu() - t);
	}
	std::sort(times.begin(), times.end());
	double creep = 0, spent = 0, least = INFINITY, gain = 0, standing = deepest;
	for (int i = 0; i < n; i++) {
		State s = state(i);
		creep = std::max(creep, std::sqrt(std::pow(s.x[0] - start[i].x[0], 2) + std::pow(s.x[1] - start[i].x[1], 2) + std::pow(s.x[2] - start[i].x[2], 2)));
	}
	add(half, radius, heavy, x, v);
	deepest = 0;
	for (int i = 0; i < struck; i++) {
		double t = cpu();
		step();
		spent += cpu() - t;
		double e = 0;
		for (int k = 0; k <= n; k++) {
			State s = state(k);
			e += s.kinetic + 9.81 * (k < n ? m : heavy) * s.x[1];
		}
		least = std::min(least, e);
		gain = std::max(gain, e - least);
	}
	printf("{\"rest_ms\":%g,\"struck_ms\":%g,\"creep_m\":%g,\"deepest_standing_m\":%g,\"deepest_m\":%g,\"gain_J\":%g}\n", 1e3 * times[rest / 2], 1e3 * spent / struck, creep, standing, deepest, gain);
}
