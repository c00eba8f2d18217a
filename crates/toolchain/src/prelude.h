/* What stands before each program in the C that cobc makes of it: what programs do at every statement is done in place. */
#include <stdio.h>
#include <string.h>
#include <gmp.h>
#include <libcob.h>

/* Nobody traces: a program leaves its line in its module. */
#define cob_trace_stmt(statement) ((void) (statement))

/* From the left, byte by byte, as MVC does. That is a plain copy unless the target begins within the source. */
static inline __attribute__ ((always_inline)) void
syncpoint_move (void *target, void *source, const int length)
{
	if ((size_t) target - (size_t) source >= (size_t) length)
		memmove (target, source, (size_t) length);
	else
		cob_move_ibm (target, source, length);
}
#define cob_move_ibm(target, source, length) syncpoint_move (target, source, length)
