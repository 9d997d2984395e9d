/* token.c: how is the secret part of the URL made, read and compared? */
#include "server/token.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define RANDOM_BYTES 16u

bool token_make(struct token *ret, struct error *err)
{
	unsigned char bytes[RANDOM_BYTES];

	if (getrandom(bytes, sizeof(bytes), 0) != sizeof(bytes))
		return error_errno(err, "cannot create a random token");
	for (size_t i = 0; i < sizeof(bytes); i++)
		snprintf(ret->text + 2 * i, 3, "%02x", bytes[i]);
	return true;
}

static bool is_token(struct bytes text)
{
	for (size_t i = 0; i < text.len; i++) {
		char c = text.at[i];

		if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '-' ||
			    c == '_'))
			return false;
	}
	return text.len >= TOKEN_MIN && text.len <= TOKEN_MAX;
}

static bool read_from(int fd, const char *path, struct token *ret, struct error *err)
{
	char text[TOKEN_MAX + 2]; /* one more than allowed, and the newline */
	ssize_t len = read(fd, text, sizeof(text));
	struct bytes all = {text, len > 0 ? (size_t)len : 0}, line = {0};
	struct stat status;

	if (len < 0 || fstat(fd, &status))
		return error_errno(err, "%s: cannot read", path);
	if (S_ISREG(status.st_mode) && status.st_mode & (S_IRWXG | S_IRWXO))
		return error_set(err, ERR_PERMISSION,
			"%s: other users can read the token; if it is yours: chmod 600 %s", path,
			path);
	if (!bytes_line(&all, &line) || !is_token(line))
		return error_set(err, ERR_FORMAT,
			"%s: expected a line of %u to %u letters, digits, '-' and '_'; create one "
			"with: (umask 077; head -c 24 /dev/urandom | base64 | tr +/ -_ >%s)",
			path, TOKEN_MIN, TOKEN_MAX, path);
	memcpy(ret->text, line.at, line.len);
	ret->text[line.len] = '\0';
	return true;
}

bool token_read(const char *path, struct token *ret, struct error *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool done;

	if (fd < 0)
		return error_errno(err, "%s: cannot open", path);
	done = read_from(fd, path, ret, err);
	close(fd);
	return done;
}

bool token_is(const struct token *t, struct bytes given)
{
	unsigned differs = 0;

	if (given.len != strlen(t->text))
		return false;
	for (size_t i = 0; i < given.len; i++)
		differs |= (unsigned char)(given.at[i] ^ t->text[i]);
	return !differs;
}
