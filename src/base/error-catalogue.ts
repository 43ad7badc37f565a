/**
 * Every refusal a client can meet: stable code, HTTP status, and the message from typed details.
 * `docs/errors.md` lists the same codes; a test compares the two. One entry a line, sorted by code.
 */
/** `field`: the path of the field that the message is about, as in `unit.symbol`, where there is one. */
type Text = { what: string; field?: string }
type Wait = { retryAfterSeconds: number }

/** A place in a text: line and column from 1, and the line with a mark below it. */
export interface TextPlace {
  readonly line: number
  readonly column: number
  readonly pointer: string
}

type Placed = { what: string; place: TextPlace }
const placedText = ({ what, place }: Placed): string =>
  `Line ${place.line}, column ${place.column}: ${what}`

// biome-ignore format: one entry a line keeps the catalogue readable as a table.
export const errorCatalogue = {
  bad_input: { status: 400, text: (about: Text) => about.what },
  bad_json: { status: 400, text: (about: { position: number; problem: string }) => `Cannot read the body as JSON: ${about.problem} at position ${about.position}` },
  bad_sql: { status: 400, text: placedText },
  bearer_repeated: { status: 400, text: (_about: object) => 'The bearer token is given more than once. Send it only in the header Authorization' },
  body_too_large: { status: 413, text: (about: { limitBytes: number }) => `The body is too large. At most ${about.limitBytes} bytes are allowed after decompression` },
  claim_taken: { status: 409, text: (about: Text) => about.what },
  component_not_found: { status: 404, text: (about: { compId: string }) => `Cannot find component "${about.compId}"` },
  conflict: { status: 409, text: (about: Text) => about.what },
  cycle_not_found: { status: 404, text: (about: Text) => about.what },
  file_not_found: { status: 404, text: (about: Text) => about.what },
  forbidden: { status: 403, text: (about: Text) => about.what },
  gs_sql_not_included: { status: 403, text: (about: Text) => about.what },
  headers_too_large: { status: 431, text: (about: { limitBytes: number }) => `The request line and headers are too long. At most ${about.limitBytes} bytes are allowed. Send lists in a JSON body` },
  insufficient_scope: { status: 403, text: (about: Text) => about.what },
  internal: { status: 500, text: (about: { incident: string }) => `Internal error. Incident ${about.incident} is in the log of the service` },
  invalid_token: { status: 401, text: (about: Text) => about.what },
  method_not_allowed: { status: 405, text: (about: Text) => about.what },
  not_found: { status: 404, text: (about: Text) => about.what },
  overloaded: { status: 503, text: (_about: Wait) => 'The service is overloaded (memory or disk). Try again later' },
  preview_unavailable: { status: 503, text: (about: Text & Wait) => about.what },
  quota_exceeded: { status: 403, text: (about: { max: number; counted: string }) => `Quota exceeded. An organization can have ${about.max} ${about.counted}. Delete some, or ask the operator to raise WEIR_QUOTAS` },
  range_not_satisfiable: { status: 416, text: (about: Text) => about.what },
  rate_limited: { status: 429, text: (about: Wait) => `Too many requests. Try again in ${about.retryAfterSeconds} s` },
  read_only: { status: 503, text: (about: Text & Wait) => about.what },
  second_factor: { status: 401, text: (about: Text) => about.what },
  reauthenticate: { status: 401, text: (about: Text) => about.what },
  request_timeout: { status: 408, text: (about: Text) => about.what },
  shutting_down: { status: 503, text: (_about: Wait) => 'The service is shutting down. Try again later' },
  sql_error: { status: 422, text: placedText },
  sql_unavailable: { status: 503, text: (about: Text & Wait) => about.what },
  stat_not_found: { status: 404, text: (about: Text) => about.what },
  store_away: { status: 503, text: (_about: Wait) => 'The database cluster does not respond. Try again later' },
  stream_not_found: { status: 404, text: (about: { streamId: string; compId: string }) => `Cannot find stream "${about.streamId}" in component "${about.compId}"` },
  template_not_found: { status: 404, text: (about: Text) => about.what },
  too_many_listeners: { status: 429, text: (about: Wait & { max: number; whose: string }) => `Too many live connections: ${about.whose} can have ${about.max} at a time. Close one, or ask the operator to raise WEIR_LIVE` },
  too_many_samples: { status: 413, text: (about: { samplesMax: number }) => `Too many samples in one request. At most ${about.samplesMax} are allowed` },
  unauthorized: { status: 401, text: (about: Text) => about.what },
  unsupported_media_type: { status: 415, text: (about: Text) => about.what },
} as const

export type ErrorCode = keyof typeof errorCatalogue
export type ErrorDetails<C extends ErrorCode> = Parameters<(typeof errorCatalogue)[C]['text']>[0]
