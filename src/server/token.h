/* token.h: the secret part of the server's URL. */
#ifndef KILN_SERVER_TOKEN_H
#define KILN_SERVER_TOKEN_H

#include "base/bytes.h"
#include "base/error.h"

#define TOKEN_MAX 128u /* characters, all of them letters, digits, "-" or "_" */
#define TOKEN_MIN 16u

struct token {
	char text[TOKEN_MAX + 1];
};

/* Make one of 128 random bits. */
bool token_make(struct token *ret, struct error *err);

/* Read the first line of a file that only its owner can read. */
bool token_read(const char *path, struct token *ret, struct error *err);

/* In constant time for texts of the right length. */
bool token_is(const struct token *t, struct bytes given);

#endif
