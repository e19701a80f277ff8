// A stub of what HapcoConstraintSolver.cpp sees of SOFA's headers, by their names: Debian has no
// libsofa-dev. It is for tests of that component alone.
#pragma once
#include <iostream>
#include <string>
#include <vector>

using SReal = double;
#define SOFA_CLASS(T, Base) using Inherit1 = Base
#define msg_error() (std::cerr << "\n[ERROR] ")

namespace sofa
{
template <class T> struct Data {
	T value;
	const T& getValue() const { return value; }
	void setValue(const T& v) { value = v; }
};
} // namespace sofa

namespace sofa::core::behavior
{
struct ConstraintResolution {
	explicit ConstraintResolution(unsigned int lines) : m_lines(lines) {}
	virtual ~ConstraintResolution() = default;
	unsigned int getNbLines() const { return m_lines; }

private:
	unsigned int m_lines;
};
} // namespace sofa::core::behavior

namespace sofa::component::constraint::lagrangian::solver
{
template <class T> struct FullVector {
	std::vector<T> data;
	T* ptr() { return data.data(); }
};

class GenericConstraintSolver;

struct GenericConstraintProblem {
	SReal tolerance = 1e-8;
	int maxIterations = 1000;
	FullVector<SReal> _d;
	std::vector<core::behavior::ConstraintResolution*> constraintsResolutions;
	SReal currentError = 0;
	int currentIterations = 0;

	int getDimension() const { return dimension; }
	SReal** getW() { return W.data(); }
	SReal* getDfree() { return dfree.data(); }
	SReal* getF() { return f.data(); }
	void result_output(GenericConstraintSolver*, SReal*, SReal error, int iterations, bool convergence)
	{
		currentError = error, currentIterations = iterations, converged = convergence;
	}

	int dimension = 0;
	std::vector<SReal*> W;
	std::vector<SReal> dfree, f;
	bool converged = false;
};

class GenericConstraintSolver
{
public:
	virtual ~GenericConstraintSolver() = default;

protected:
	template <class T> Data<T> initData(Data<T>*, const T& value, const char*, const char*) { return {value}; }
	virtual void doSolve(GenericConstraintProblem* problem, SReal timeout = 0.0) = 0;
};

class BuiltConstraintSolver : public GenericConstraintSolver
{
};
} // namespace sofa::component::constraint::lagrangian::solver
