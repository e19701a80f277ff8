// A crew shares numbered jobs among threads. What a job computes does not depend on who does it, nor on how many there
// are: so nothing that a crew has made does.
#ifndef HAPCO_FLEX_CREW_H
#define HAPCO_FLEX_CREW_H

#include <stdint.h>

typedef struct hapco_crew hapco_crew;

// hapco_crew_new starts a crew of so many workers, the caller of hapco_crew_run counted, or of fewer where the system has
// no more threads. NULL is a crew of one.
hapco_crew *hapco_crew_new(int workers);
void hapco_crew_free(hapco_crew *c);

// hapco_crew_size is how many workers it has.
int hapco_crew_size(const hapco_crew *c);

// hapco_crew_run does job(of, i, worker) for i from 0 to count-1, begun in this order, and returns when all are done.
void hapco_crew_run(hapco_crew *c, int64_t count, void (*job)(void *of, int64_t i, int worker), void *of);

// hapco_quit tells the other jobs of a run that there is nothing left to do, which hapco_quits asks.
static inline void hapco_quit(int *quit) { __atomic_store_n(quit, 1, __ATOMIC_RELAXED); }
static inline int hapco_quits(const int *quit) { return __atomic_load_n(quit, __ATOMIC_RELAXED); }

#endif
