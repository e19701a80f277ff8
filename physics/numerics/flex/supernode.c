#include <math.h>
#include <string.h>

#include "dense.h"
#include "factor.h"

// hapco_act and hapco_cholesky of the processor at hand.
#define NAME(x) x##_base
#define TARGET
#define real float
#define VECTORS 1
#define FEW 4
#define WIDTH 4
#define COLS 6
#define WIDE 8
#define ROWS 8
#include "kernel.h"
#include "supernode.h"
#undef NAME
#undef TARGET
#undef WIDTH
#undef COLS
#undef WIDE
#if defined(__x86_64__) && defined(__GNUC__)
#define SETS
#define NAME(x) x##_avx2
#define TARGET __attribute__((target("avx2,fma")))
#define WIDTH 8
#define COLS 6
#define WIDE 8
#include "kernel.h"
#include "supernode.h"
#undef NAME
#undef TARGET
#undef WIDTH
#undef COLS
#undef WIDE
#define NAME(x) x##_avx512
#define TARGET __attribute__((target("avx512f,fma")))
#define WIDTH 16
#define COLS 12
#define WIDE 16
#undef ROWS
#define ROWS 16
#include "kernel.h"
#include "supernode.h"
#endif

#ifdef SETS
static int set(void)
{
	if (hapco_most_kernels >= HAPCO_AVX512 && __builtin_cpu_supports("avx512f"))
		return HAPCO_AVX512;
	if (hapco_most_kernels >= HAPCO_AVX2 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
		return HAPCO_AVX2;
	return HAPCO_PLAIN;
}

#define CHOOSE(call) return set() == HAPCO_AVX512 ? call(avx512) : set() == HAPCO_AVX2 ? call(avx2) : call(base)
#else
#define CHOOSE(call) return call(base)
#endif

int hapco_act_single(int64_t m, int64_t n, int64_t k, const float *a, int64_t la, const int64_t *place, float *c, int64_t lc, const int32_t *stop)
{
#define CALL(set) act_##set(m, n, k, a, la, place, c, lc, stop)
	CHOOSE(CALL);
#undef CALL
}

void hapco_down_single(int64_t ld, int64_t columns, const float *a, const int64_t *row, float *x, int sides)
{
#define CALL(set) forward_##set(a, ld, columns, row, x, sides)
	CHOOSE(CALL);
#undef CALL
}

int hapco_cholesky_single(int64_t m, int64_t n, float *a, int64_t *bad, const int32_t *stop)
{
#define CALL(set) cholesky_##set(m, n, a, m, bad, stop)
	CHOOSE(CALL);
#undef CALL
}
