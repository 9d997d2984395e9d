/* token.h: what whoever asks has to know. */
#ifndef KILN_SERVER_TOKEN_H
#define KILN_SERVER_TOKEN_H

#include "base/bytes.h"
#include "base/error.h"

#define TOKEN_MOST  128u /* characters, all of them letters, digits, "-" or "_" */
#define TOKEN_LEAST 16u

struct token {
	char text[TOKEN_MOST + 1];
};

/* 128 random bits. */
bool token_make(struct token *ret, struct error *err);

/* The first line of a file that nobody but its owner can read. */
bool token_read(const char *path, struct token *ret, struct error *err);

/* Takes as long for every text of the right length, so that the time tells nothing. */
bool token_is(const struct token *t, struct bytes given);

#endif
