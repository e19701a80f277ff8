// Solves one contact problem with Siconos's solvers.
//
// Without arguments it prints the names of its settings, a line each. Otherwise standard input holds n, then friction
// (n), q (3n) and W (9 n^2, by rows) as doubles, and then lines
//
//	SETTING TOLERANCE SECONDS SOLVES
//
// Each is answered by a line "ok NS" and the forces (3n doubles) of the last of SOLVES cold starts, NS being the processor time
// of one of them, or "no" where the solver failed, crashed, or took longer than SECONDS. A solver runs in a process of
// its own. What is measured is the call of the driver: problem and options are ready.
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <siconos/numerics/CSparseMatrix.h>
#include <siconos/numerics/FrictionContactProblem.h>
#include <siconos/numerics/Friction_cst.h>
#include <siconos/numerics/NonSmoothDrivers.h>
#include <siconos/numerics/NumericsMatrix.h>
#include <siconos/numerics/NumericsSparseMatrix.h>
#include <siconos/numerics/SolverOptions.h>
#include <siconos/numerics/SparseBlockMatrix.h>
#include <siconos/numerics/fc3d_Solvers.h>

// given: local problems are solved to their own tolerance, not to one that adapts. light: errors are looked at by the
// change of a sweep until that is small.
static const struct { const char *name; int id, local, given, light; } methods[] = {
	{"nsgs-quartic", SICONOS_FRICTION_3D_NSGS, SICONOS_FRICTION_3D_ONECONTACT_QUARTIC, 0, 0},
	{"nsgs-projection", SICONOS_FRICTION_3D_NSGS, SICONOS_FRICTION_3D_ONECONTACT_ProjectionOnCone, 0, 0},
	{"nsgs-local-projection", SICONOS_FRICTION_3D_NSGS, SICONOS_FRICTION_3D_ONECONTACT_ProjectionOnConeWithLocalIteration, 0, 0},
	{"nsgs-newton", SICONOS_FRICTION_3D_NSGS, SICONOS_FRICTION_3D_ONECONTACT_NSN, 0, 0},
	{"nsgs-newton-gp", SICONOS_FRICTION_3D_NSGS, SICONOS_FRICTION_3D_ONECONTACT_NSN_GP, 0, 0},
	{"nsgs-hybrid", SICONOS_FRICTION_3D_NSGS, SICONOS_FRICTION_3D_ONECONTACT_NSN_GP_HYBRID, 0, 0},
	{"nsgs-newton-given", SICONOS_FRICTION_3D_NSGS, SICONOS_FRICTION_3D_ONECONTACT_NSN, 1, 0},
	{"nsgs-hybrid-given", SICONOS_FRICTION_3D_NSGS, SICONOS_FRICTION_3D_ONECONTACT_NSN_GP_HYBRID, 1, 0},
	{"nsgs-quartic-light", SICONOS_FRICTION_3D_NSGS, SICONOS_FRICTION_3D_ONECONTACT_QUARTIC, 0, 1},
	{"nsgs-projection-light", SICONOS_FRICTION_3D_NSGS, SICONOS_FRICTION_3D_ONECONTACT_ProjectionOnCone, 0, 1},
	{"nsgs-hybrid-light", SICONOS_FRICTION_3D_NSGS, SICONOS_FRICTION_3D_ONECONTACT_NSN_GP_HYBRID, 0, 1},
	{"newton-ac", SICONOS_FRICTION_3D_NSN_AC, 0, 0, 0},
	{"newton-natural", SICONOS_FRICTION_3D_NSN_NM, 0, 0, 0},
	{"proximal", SICONOS_FRICTION_3D_PROX, 0, 0, 0},
	{"admm", SICONOS_FRICTION_3D_ADMM, 0, 0, 0},
	{"extragradient", SICONOS_FRICTION_3D_VI_EG, 0, 0, 0},
};
static const char *const storages[] = {"dense", "blocks", "sparse"};

static double now(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return t.tv_sec + 1e-9 * t.tv_nsec;
}

static double *numbers(size_t n)
{
	double *v = malloc(n * sizeof *v);
	if (!v || fread(v, sizeof *v, n, stdin) != n)
		exit(2);
	return v;
}

// stored is W (3n)x(3n) in one of the storages.
static NumericsMatrix *stored(const double *W, int n, int storage)
{
	int m = 3 * n;
	if (storage == 0) {
		double *columns = malloc(sizeof(double) * m * m);
		for (int i = 0; i < m; i++)
			for (int j = 0; j < m; j++)
				columns[(size_t)j * m + i] = W[(size_t)i * m + j];
		return NM_create_from_data(NM_DENSE, m, m, columns);
	}
	NumericsMatrix *M = NM_create(NM_SPARSE, m, m);
	NM_triplet_alloc(M, m);
	M->matrix2->origin = NSM_TRIPLET;
	for (int a = 0; a < n; a++)
		for (int b = 0; b < n; b++) {
			int any = a == b;
			for (int k = 0; k < 9; k++)
				any |= W[(size_t)(3 * a + k / 3) * m + 3 * b + k % 3] != 0;
			for (int k = 0; any && k < 9; k++) // whole blocks
				NM_zentry(M, 3 * a + k / 3, 3 * b + k % 3, W[(size_t)(3 * a + k / 3) * m + 3 * b + k % 3], -1);
		}
	if (storage == 2) {
		NM_csc(M);
		return M;
	}
	SparseBlockStructuredMatrix *S = SBM_new();
	SBM_from_csparse(3, NM_csc(M), S);
	return NM_create_from_data(NM_SPARSE_BLOCK, m, m, S);
}

// solve runs in the child and never returns.
static void solve(FrictionContactProblem *p, size_t method, double tolerance, int solves, int out)
{
	int n = 3 * p->numberOfContacts, info = 1;
	double *r = malloc(sizeof(double) * n), *u = malloc(sizeof(double) * n);
	if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr))
		_exit(1);
	SolverOptions *o = solver_options_create(methods[method].id);
	o->dparam[SICONOS_DPARAM_TOL] = tolerance;
	o->iparam[SICONOS_IPARAM_MAX_ITER] = 1000000;
	if (methods[method].local) {
		solver_options_update_internal(o, 0, methods[method].local);
		if (methods[method].given)
			o->iparam[SICONOS_FRICTION_3D_IPARAM_INTERNAL_ERROR_STRATEGY] = SICONOS_FRICTION_3D_INTERNAL_ERROR_STRATEGY_GIVEN_VALUE;
		else
			o->iparam[SICONOS_FRICTION_3D_IPARAM_INTERNAL_ERROR_STRATEGY] = SICONOS_FRICTION_3D_INTERNAL_ERROR_STRATEGY_ADAPTIVE;
		if (methods[method].light)
			o->iparam[SICONOS_FRICTION_3D_IPARAM_ERROR_EVALUATION] = SICONOS_FRICTION_3D_NSGS_ERROR_EVALUATION_LIGHT_WITH_FULL_FINAL;
	}
	double start = 0;
	for (int k = 0; k <= solves; k++) { // the first one is not timed but where it is the only one
		if (k < 2 || solves == 1)
			start = now(CLOCK_PROCESS_CPUTIME_ID);
		memset(r, 0, sizeof(double) * n), memset(u, 0, sizeof(double) * n);
		info = fc3d_driver(p, r, u, o);
		if (solves == 1)
			break;
	}
	double took = (now(CLOCK_PROCESS_CPUTIME_ID) - start) / solves;
	if (info || write(out, &took, sizeof took) != sizeof took)
		_exit(1);
	for (size_t at = 0, size = sizeof(double) * n; at < size;) {
		ssize_t k = write(out, (char *)r + at, size - at);
		if (k <= 0)
			_exit(1);
		at += k;
	}
	_exit(0);
}

int main(int argc, char **argv)
{
	const size_t count = sizeof methods / sizeof *methods;
	long long n;
	if (argc == 1) {
		for (size_t k = 0; k < count; k++)
			for (int s = 0; s < 3; s++)
				printf("%s/%s\n", methods[k].name, storages[s]);
		return 0;
	}
	if (fread(&n, sizeof n, 1, stdin) != 1)
		return 2;
	double *mu = numbers(n), *q = numbers(3 * n), *W = numbers(9 * n * n), *answer = malloc(sizeof(double) * (3 * n + 1));
	FrictionContactProblem *problems[3] = {0};
	char line[200], name[100];
	double tolerance, seconds;
	int solves;
	while (fgets(line, sizeof line, stdin)) {
		if (sscanf(line, "%99[^/]/%*s %lf %lf %d", name, &tolerance, &seconds, &solves) != 4)
			return 2;
		size_t method = 0;
		while (method < count && strcmp(methods[method].name, name))
			method++;
		int storage = 0;
		while (storage < 3 && strncmp(strchr(line, '/') + 1, storages[storage], strlen(storages[storage])))
			storage++;
		if (method == count || storage == 3)
			return 2;
		if (!problems[storage])
			problems[storage] = frictionContactProblem_new_with_data(3, n, stored(W, n, storage), q, mu);
		int ends[2];
		if (pipe(ends))
			return 2;
		pid_t child = fork();
		if (child < 0)
			return 2;
		if (child == 0)
			solve(problems[storage], method, tolerance, solves, ends[1]);
		close(ends[1]);
		size_t got = 0, size = sizeof(double) * (3 * n + 1);
		for (double end = now(CLOCK_MONOTONIC) + seconds; got < size;) {
			struct pollfd f = {ends[0], POLLIN, 0};
			int wait = 1e3 * (end - now(CLOCK_MONOTONIC));
			ssize_t k = wait > 0 && poll(&f, 1, wait) == 1 ? read(ends[0], (char *)answer + got, size - got) : 0;
			if (k <= 0)
				break;
			got += k;
		}
		close(ends[0]);
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
		if (got == size) {
			printf("ok %.17g\n", 1e9 * answer[0]);
			fwrite(answer + 1, sizeof(double), 3 * n, stdout);
		} else
			puts("no");
		fflush(stdout);
	}
	return 0;
}
