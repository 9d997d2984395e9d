/* jfr_print.c: events of Java Flight Recorder, as `jfr print` shows them:
 *
 *	jdk.ExecutionSample {
 *	  startTime = 16:06:31.008
 *	  sampledThread = "main" (javaThreadId = 1)
 *	  state = "STATE_RUNNABLE"
 *	  stackTrace = [
 *	    P.spin() line: 1
 *	    P.main(String[]) line: 1
 *	    ...
 *	  ]
 *	}
 *
 * Frames are innermost first; "..." says that there are more, and --stack-depth shows them. Every
 * event with a stack is a sample of a kind with the event's name; one with a `weight` or an
 * `allocationSize` is worth so many bytes, and one with a `duration` lasts so long. */
#include "readers/lines/line_format.h"
#include "readers/java/java_names.h"
