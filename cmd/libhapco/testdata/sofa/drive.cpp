// Drives HapcoConstraintSolver as SOFA does, on problems of .fc3d files, and compares with the library itself.
#include "../../sofa/HapcoConstraintSolver.cpp"

#include <cmath>
#include <cstdio>

namespace
{
using namespace sofa::component::constraint::lagrangian::solver;
struct Solver : hapcosofa::HapcoConstraintSolver {
	using HapcoConstraintSolver::doSolve;
};
int failures;
#define CHECK(ok) do { if (!(ok)) { failures++; std::printf("%s:%d: %s\n", __FILE__, __LINE__, #ok); } } while (0)
} // namespace

int main(int argc, char** argv)
{
	sofa::core::ObjectFactory factory;
	registerObjects(&factory);
	for (int k = 1; k < argc; k++) {
		hapco_solver s;
		int64_t n = 0;
		CHECK(!hapco_solver_open("auto", &s) && !hapco_solver_read(s, argv[k], &n));
		const int size = int(3 * n);
		std::vector<double> W(size * size), mu(n), r(size);
		GenericConstraintProblem p;
		p.dimension = size;
		p.dfree.resize(size), p.f.resize(size), p._d.data.resize(size);
		CHECK(!hapco_solver_problem(s, n, W.data(), p.dfree.data(), mu.data(), nullptr));
		for (int i = 0; i < size; i++)
			p.W.push_back(&W[i * size]);
		sofa::core::behavior::ConstraintResolution contact(3), bilateral(1);
		p.constraintsResolutions.assign(size, &contact);
		p.tolerance = 1e-10;
		p.maxIterations = 100000;
		Solver solver;
		solver.d_mu.setValue(mu[0]);
		solver.doSolve(&p);
		CHECK(p.converged && p.currentError < 1e-9);
		hapco_options o;
		hapco_result res;
		hapco_default_options(&o);
		o.tolerance = 1e-10;
		CHECK(!hapco_solver_dense(s, n, W.data(), p.dfree.data(), mu.data(), &o, r.data(), nullptr, &res));
		double most = 0, apart = 0, violation = 0;
		for (int i = 0; i < size; i++)
			most = std::fmax(most, std::fabs(r[i])), apart = std::fmax(apart, std::fabs(r[i] - p.f[i]));
		for (int i = 0; i < size; i += 3)
			violation = std::fmin(violation, p._d.data[i]);
		CHECK(apart < 1e-9 * most && violation > -1e-9);
		p.constraintsResolutions[0] = &bilateral; // no contact: no force
		solver.doSolve(&p);
		CHECK(p.f[0] == 0 && p.currentIterations == 0);
		p.constraintsResolutions[0] = &contact;
		solver.d_solver.setValue("no such solver");
		p.f[0] = 1;
		solver.doSolve(&p);
		CHECK(p.f[0] == 0);
		p.dimension = 0;
		solver.doSolve(&p);
		hapco_solver_close(s);
	}
	std::puts(failures ? "FAILED" : "ok");
	return failures != 0;
}
