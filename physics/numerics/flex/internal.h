#ifndef HAPCO_FLEX_INTERNAL_H
#define HAPCO_FLEX_INTERNAL_H

#include <stdint.h>
#include <suitesparse/cholmod.h>

struct hapco_factor {
	cholmod_common c;
	cholmod_factor *L;
	cholmod_dense *X, *Y, *E;  // kept between solves
	int64_t *supernode;        // of each place in the elimination order
	int64_t *parent;           // of each supernode in the elimination tree, -1 at a root
	float *single;             // the numbers of L in single precision, of the matrix scaled to a unit diagonal, or NULL
	float *scale;              // by what its rows and columns were, in the elimination order
	int16_t *packed;           // hapco_pack's copy of them, or NULL
	float *heads;              // and the heads of its panels
	int64_t numbers, headed;   // how many numbers each has
};

// hapco_pack makes the copy of single that a solve reads.
int hapco_pack(hapco_factor *f);

#endif
