// As BuiltConstraintSolver.h, which has it.
#pragma once
