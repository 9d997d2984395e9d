/* otlp_profiles.h: from messages of OpenTelemetry's profiles to a profile.
 *
 * Source: github.com/open-telemetry/opentelemetry-proto, profiles/v1development/profiles.proto: the
 * message ProfilesData. */
#ifndef KILN_READERS_OTLP_OTLP_PROFILES_H
#define KILN_READERS_OTLP_OTLP_PROFILES_H

#include "base/protobuf.h"
#include "readers/readers.h"

extern const struct protobuf_schema otlp_data_shape;

struct otlp;

/* With is_json, errors give the number of a sample: messages were made of JSON, and their offsets
 * mean nothing to users. */
struct otlp *otlp_new(const struct read_options *options, bool is_json, struct profile *profile);
/* A message that has its own dictionary; it may go afterwards. */
bool otlp_take(struct otlp *o, struct bytes message, struct error *err);
/* All were taken, up to this "byte" or "line" (`what`). */
bool otlp_finish(struct otlp *o, const char *what, uint64_t end, struct error *err);
void otlp_release(struct otlp *o);

#endif
