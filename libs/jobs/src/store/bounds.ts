/** At most this many jobs, and about this many bytes of arguments, travel in one call, so that no call holds Redis up. */
export const MAX_JOBS_PER_CALL = 64;
export const MAX_BYTES_PER_CALL = 1_048_576;

/**
 * Ends of a type's jobs that wait to be told; while there are so many, no job is accepted whose end is to be told as well. Their
 * bytes are not bounded: each holds a result of up to 64 KiB, and jobs that were accepted before end beyond the number.
 */
export const MAX_EVENTS = 100_000;
