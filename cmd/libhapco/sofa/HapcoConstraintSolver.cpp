// HapcoConstraintSolver: HapCo's contact solvers as a component of SOFA (v25.12 and later, whose built
// constraint solvers have doSolve). A plugin of its own:
//
//	find_package(Sofa.Component.Constraint.Lagrangian.Solver REQUIRED)
//	find_package(hapco REQUIRED)
//	add_library(HapcoSofa SHARED HapcoConstraintSolver.cpp)
//	target_link_libraries(HapcoSofa Sofa.Component.Constraint.Lagrangian.Solver hapco::hapco)
//
// and in a scene, in the place of another constraint solver:
//
//	<RequiredPlugin name="HapcoSofa"/>
//	<HapcoConstraintSolver mu="0.3" tolerance="1e-8" maxIterations="1000" solver="auto"/>
//
// SOFA builds W (compliance), and dfree, with the same signs and order n, t1, t2: d = W f + dfree. Every
// constraint must be a contact with friction, 3 lines; others are refused, with no force.
#include <sofa/component/constraint/lagrangian/solver/BuiltConstraintSolver.h>
#include <sofa/core/ObjectFactory.h>
#include <sofa/core/behavior/ConstraintResolution.h>

#include <algorithm>
#include <string>
#include <vector>

#include <hapco.h>

namespace hapcosofa
{

using namespace sofa::component::constraint::lagrangian::solver;

class HapcoConstraintSolver : public BuiltConstraintSolver
{
public:
	SOFA_CLASS(HapcoConstraintSolver, BuiltConstraintSolver);

	sofa::Data<double> d_mu;           ///< Coulomb's coefficient of all contacts
	sofa::Data<std::string> d_solver;  ///< name of a solver, as hapco solve --list has them

protected:
	HapcoConstraintSolver()
		: d_mu(initData(&d_mu, 0.3, "mu", "Coulomb's coefficient of all contacts"))
		, d_solver(initData(&d_solver, std::string("auto"), "solver", "name of a solver of HapCo"))
	{
	}

	~HapcoConstraintSolver() override { hapco_solver_close(m_handle); }

	void doSolve(GenericConstraintProblem* problem, SReal timeout = 0.0) override
	{
		const int dimension = problem->getDimension();
		double* force = problem->getF();
		problem->currentError = 0;
		problem->currentIterations = 0;
		if (dimension == 0)
			return;
		for (int i = 0; i < dimension; i += problem->constraintsResolutions[i]->getNbLines())
			if (!problem->constraintsResolutions[i] || problem->constraintsResolutions[i]->getNbLines() != 3)
				return refuse(force, dimension, "a constraint that is no contact with friction (cure: another constraint solver)");
		if (m_name != d_solver.getValue()) {
			hapco_solver_close(m_handle);
			m_handle = nullptr;
			m_name = d_solver.getValue();
		}
		if (!m_handle && hapco_solver_open(m_name.c_str(), &m_handle) != HAPCO_OK)
			return refuse(force, dimension, hapco_error());

		const int n = dimension / 3;
		m_W.resize(std::size_t(dimension) * dimension);
		for (int i = 0; i < dimension; i++)
			std::copy_n(problem->getW()[i], dimension, &m_W[std::size_t(i) * dimension]);
		m_mu.assign(n, d_mu.getValue());

		hapco_options options;
		hapco_default_options(&options);
		options.tolerance = problem->tolerance;
		options.max_iterations = problem->maxIterations;
		options.deadline = timeout;
		options.warm = 1; // SOFA keeps the forces of the last step
		hapco_result result;
		if (hapco_solver_dense(m_handle, n, m_W.data(), problem->getDfree(), m_mu.data(), &options, force, nullptr, &result) != HAPCO_OK)
			return refuse(force, dimension, hapco_error());

		for (int i = 0; i < dimension; i++) { // the violations that components read
			double d = problem->getDfree()[i];
			for (int j = 0; j < dimension; j++)
				d += m_W[std::size_t(i) * dimension + j] * force[j];
			problem->_d.ptr()[i] = d;
		}
		problem->result_output(this, force, result.natural_error, result.iterations, result.converged != 0);
	}

private:
	void refuse(double* force, int dimension, const char* why)
	{
		std::fill_n(force, dimension, 0.0);
		msg_error() << why;
	}

	hapco_solver m_handle = nullptr;
	std::string m_name;
	std::vector<double> m_W, m_mu;
};

} // namespace hapcosofa

extern "C" {
void initExternalModule() {}
const char* getModuleName() { return "HapcoSofa"; }
const char* getModuleVersion() { return "1.0"; }
const char* getModuleLicense() { return "see HapCo"; }
const char* getModuleDescription() { return "HapCo's contact solvers"; }
void registerObjects(sofa::core::ObjectFactory* factory)
{
	factory->registerObjects(sofa::core::ObjectRegistrationData("HapCo's solvers of frictional contact.").add<hapcosofa::HapcoConstraintSolver>());
}
}
