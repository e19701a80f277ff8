// Siconos's solvers and ours on the same problems: test FILE.fc3d.gz...
// Forces need not be alike where W has no full rank; displacements W r + q are.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <siconos/numerics/FrictionContactProblem.h>
#include <siconos/numerics/Friction_cst.h>
#include <siconos/numerics/NonSmoothDrivers.h>
#include <siconos/numerics/NumericsMatrix.h>
#include <siconos/numerics/SolverOptions.h>
#include <siconos/numerics/fc3d_Solvers.h>
#include "hapco.h"

static int failures;

// apart is |a - b| over |b|.
static double apart(const double *a, const double *b, int n)
{
	double d = 0, s = 0;
	for (int i = 0; i < n; i++)
		d += (a[i] - b[i]) * (a[i] - b[i]), s += b[i] * b[i];
	return sqrt(d / fmax(s, 1e-300));
}

static void moved(const double *W, const double *q, const double *r, double *x, int n)
{
	for (int i = 0; i < n; i++) {
		x[i] = q[i];
		for (int j = 0; j < n; j++)
			x[i] += W[(size_t)i * n + j] * r[j];
	}
}

int main(int argc, char **argv)
{
	static const struct { const char *name; int id; } theirs[] = {
		{"Siconos NSGS", SICONOS_FRICTION_3D_NSGS}, {"Siconos NSN-AC", SICONOS_FRICTION_3D_NSN_AC}};
	printf("%-55s %-16s %9s %9s %9s\n", "problem", "solver", "ms", "dx", "dr");
	for (int f = 1; f < argc; f++) {
		hapco_solver s;
		hapco_options o;
		hapco_result res;
		int64_t contacts;
		if (hapco_solver_open("auto", &s) || hapco_solver_read(s, argv[f], &contacts) || hapco_default_options(&o)) {
			printf("%s\n", hapco_error());
			return 1;
		}
		int n = 3 * contacts;
		double *W = malloc(sizeof(double) * n * n), *q = malloc(sizeof(double) * n), *mu = malloc(sizeof(double) * contacts);
		double *r = calloc(n, sizeof(double)), *x = calloc(n, sizeof(double)), *other = calloc(n, sizeof(double)), *u = calloc(n, sizeof(double));
		o.tolerance = 1e-12;
		if (hapco_solver_problem(s, contacts, W, q, mu, NULL) || hapco_solver_dense(s, contacts, W, q, mu, &o, r, NULL, &res) || !res.converged) {
			printf("%s: %s\n", argv[f], hapco_error());
			failures++;
		}
		moved(W, q, r, x, n);
		const char *name = strrchr(argv[f], '/') ? strrchr(argv[f], '/') + 1 : argv[f];
		printf("%-55s %-16s %9.3f\n", name, "auto", 1e3 * res.elapsed);
		for (size_t k = 0; k < sizeof theirs / sizeof *theirs; k++) {
			// W is symmetric: rows or columns, it is the same
			NumericsMatrix *M = NM_create_from_data(NM_DENSE, n, n, W);
			FrictionContactProblem *p = frictionContactProblem_new_with_data(3, contacts, M, q, mu);
			SolverOptions *options = solver_options_create(theirs[k].id);
			options->dparam[SICONOS_DPARAM_TOL] = 1e-10;
			options->iparam[SICONOS_IPARAM_MAX_ITER] = 10000;
			memset(other, 0, sizeof(double) * n), memset(u, 0, sizeof(double) * n);
			struct timespec a, b;
			timespec_get(&a, TIME_UTC);
			int info = fc3d_driver(p, other, u, options);
			timespec_get(&b, TIME_UTC);
			moved(W, q, other, u, n);
			double dx = apart(u, x, n);
			printf("%-55s %-16s %9.3f %9.1e %9.1e%s\n", name, theirs[k].name, 1e3 * (b.tv_sec - a.tv_sec) + 1e-6 * (b.tv_nsec - a.tv_nsec), dx, apart(other, r, n),
				info ? " not converged" : "");
			if (!info && !(dx < 1e-6))
				failures++;
			else if (!info)
				res.reserved++; // how many agree
			solver_options_delete(options);
		}
		if (!res.reserved) {
			printf("%s: none of theirs has solved it\n", name);
			failures++;
		}
		hapco_solver_close(s);
		free(W), free(q), free(mu), free(r), free(x), free(other), free(u);
	}
	puts(failures ? "FAILED" : "ok");
	return failures != 0;
}
