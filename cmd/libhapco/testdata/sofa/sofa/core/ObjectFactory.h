// As BuiltConstraintSolver.h: a stub.
#pragma once
#include <string>

namespace sofa::core
{
struct ObjectRegistrationData {
	explicit ObjectRegistrationData(const std::string& d) : description(d) {}
	template <class T> ObjectRegistrationData& add() { return *this; }
	std::string description;
};
struct ObjectFactory {
	bool registerObjects(const ObjectRegistrationData&) { return true; }
};
} // namespace sofa::core
