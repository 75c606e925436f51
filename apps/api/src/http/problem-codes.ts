/**
 * Every code a problem answer may carry, with its HTTP status and title. Codes are stable: clients decide by them,
 * and `urn:antrean:problem:<code>` is the problem's type (RFC 9457).
 */
export const PROBLEMS = {
  bad_request: { status: 400, title: 'The request is not valid HTTP' },
  invalid_json: { status: 400, title: 'The body cannot be read as JSON without changing it' },
  invalid_request: { status: 400, title: 'The request does not fit the contract' },
  invalid_payload: { status: 400, title: 'The payload does not fit its job type' },
  invalid_options: { status: 400, title: 'An option is outside its bounds' },
  unknown_job_type: { status: 400, title: 'There is no such job type' },
  not_available: { status: 400, title: 'The request asks for something this version does not have' },
  unauthorized: { status: 401, title: 'A valid API key is needed' },
  forbidden: { status: 403, title: 'The API key lacks the scope' },
  not_found: { status: 404, title: 'There is nothing at this path' },
  job_not_found: { status: 404, title: 'There is no such job' },
  method_not_allowed: { status: 405, title: 'The path does not take this method' },
  not_acceptable: { status: 406, title: 'The answer exists as JSON only' },
  request_timeout: { status: 408, title: 'The request did not arrive in time' },
  duplicate_job: { status: 409, title: 'Another job holds the dedupe key' },
  illegal_transition: { status: 409, title: "The job's status does not allow it" },
  payload_too_large: { status: 413, title: 'The body or the payload is too large' },
  unsupported_media_type: { status: 415, title: 'The body is of a type that is not taken here' },
  file_not_found: { status: 422, title: 'The storage has no file of this name' },
  idempotency_key_reused: { status: 422, title: 'The Idempotency-Key was used for another request' },
  headers_too_large: { status: 431, title: 'The request header is too large' },
  internal_error: { status: 500, title: 'Something went wrong on our side' },
  queue_unavailable: { status: 503, title: 'The queue cannot be reached' },
  not_replicated: { status: 503, title: 'The queue has the job, but no replica has confirmed it' },
  events_full: { status: 503, title: 'Too many ends of jobs of the type wait to be told' },
  storage_unavailable: { status: 503, title: 'The storage of files does not take it at the moment' },
  database_unavailable: { status: 503, title: 'The database cannot be reached' },
  not_ready: { status: 503, title: 'The process does not take requests' },
} as const satisfies Readonly<Record<string, { readonly status: number; readonly title: string }>>;

export type ProblemCode = keyof typeof PROBLEMS;
