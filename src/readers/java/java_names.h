/* java_names.h: a Java method as stack traces print it, made a frame. */
#ifndef KILN_READERS_JAVA_JAVA_NAMES_H
#define KILN_READERS_JAVA_JAVA_NAMES_H

#include "readers/lines/text_stacks.h"

/* "java.lang.Thread.run(java.base@17.0.15/Thread.java:840)" in its parts. */
struct java_frame {
	struct bytes method; /* "java.lang.Thread.run", with "java.base/" where it is printed */
	struct bytes module; /* "java.base", or "" */
	struct bytes file;   /* "Thread.java", or "" */
	uint32_t line;	     /* 0: unknown */
	enum frame_kind kind;
};

/* What follows "at " in a stack trace of the JVM; a log's " [app.jar:1.0]" may follow. False when
 * there is no source in parentheses. */
bool java_frame_parse(struct bytes text, struct java_frame *ret_frame);

/* The location of the text behind "at "; 0: it is no frame. Known texts are not parsed again.
 * *ret_new (may be NULL) is the frame if the text was parsed; else its method is empty. */
location_id java_location(struct text_stacks *t, struct bytes text, struct java_frame *ret_new);

#endif
