// What exports.go sees of api.c.
#ifndef HAPCO_API_H
#define HAPCO_API_H

#include "hapco.h"

// hapco_note keeps what went wrong for the thread that called.
void hapco_note(const char *text);

// hapco_ask calls the caller's model.
int hapco_ask(hapco_model model, void *user, int64_t n, int64_t columns, double *r, double *x);

#endif
