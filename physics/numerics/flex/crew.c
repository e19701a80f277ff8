#include "crew.h"

#include <pthread.h>
#include <stdlib.h>

struct hapco_crew {
	pthread_mutex_t lock; // of all that follows
	pthread_cond_t begun, done;
	void (*job)(void *of, int64_t i, int worker);
	void *of;
	int64_t next, count, left; // the job to take, how many there are, and how many are not done
	int quit, threads;
	int number; // of the next worker to begin
	pthread_t thread[];
};

// work takes jobs until none is left to take. c->lock is held before and after.
static void work(hapco_crew *c, int me)
{
	while (c->next < c->count) {
		int64_t i = c->next++;
		pthread_mutex_unlock(&c->lock);
		c->job(c->of, i, me);
		pthread_mutex_lock(&c->lock);
		if (--c->left == 0)
			pthread_cond_signal(&c->done);
	}
}

static void *serve(void *of)
{
	hapco_crew *c = of;
	pthread_mutex_lock(&c->lock);
	for (int me = ++c->number; !c->quit; pthread_cond_wait(&c->begun, &c->lock))
		work(c, me);
	pthread_mutex_unlock(&c->lock);
	return NULL;
}

hapco_crew *hapco_crew_new(int workers)
{
	hapco_crew *c = workers > 1 ? calloc(1, sizeof *c + (workers - 1) * sizeof *c->thread) : NULL;
	if (!c)
		return NULL;
	pthread_mutex_init(&c->lock, NULL);
	pthread_cond_init(&c->begun, NULL);
	pthread_cond_init(&c->done, NULL);
	for (; c->threads < workers - 1; c->threads++)
		if (pthread_create(&c->thread[c->threads], NULL, serve, c))
			break;
	return c;
}

void hapco_crew_free(hapco_crew *c)
{
	if (!c)
		return;
	pthread_mutex_lock(&c->lock);
	c->quit = 1;
	pthread_cond_broadcast(&c->begun);
	pthread_mutex_unlock(&c->lock);
	for (int i = 0; i < c->threads; i++)
		pthread_join(c->thread[i], NULL);
	pthread_cond_destroy(&c->begun);
	pthread_cond_destroy(&c->done);
	pthread_mutex_destroy(&c->lock);
	free(c);
}

int hapco_crew_size(const hapco_crew *c) { return c ? c->threads + 1 : 1; }

void hapco_crew_run(hapco_crew *c, int64_t count, void (*job)(void *of, int64_t i, int worker), void *of)
{
	if (!c || count <= 1) {
		for (int64_t i = 0; i < count; i++)
			job(of, i, 0);
		return;
	}
	pthread_mutex_lock(&c->lock);
	c->job = job;
	c->of = of;
	c->next = 0;
	c->count = c->left = count;
	pthread_cond_broadcast(&c->begun);
	work(c, 0);
	while (c->left > 0)
		pthread_cond_wait(&c->done, &c->lock);
	pthread_mutex_unlock(&c->lock);
}
