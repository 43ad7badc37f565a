/** What the service refused, in its words; `code` is one of docs/errors.md, or `connection`. */
export class ApiError extends Error {
  readonly status: number
  readonly code: string
  /** The field that the message is about, without the name of the record: `rateLimits`, `stream.0.id`. */
  readonly field: string | undefined
  readonly retryAfterSeconds: number | undefined

  constructor(about: {
    readonly status: number
    readonly code: string
    readonly message: string
    readonly retryAfterSeconds?: number
  }) {
    super(about.message)
    this.name = 'ApiError'
    this.status = about.status
    this.code = about.code
    this.field = fieldIn(about.message)
    this.retryAfterSeconds = about.retryAfterSeconds
  }
}

/** The service names fields in its messages: `org_user.email is needed`, `body: unit.symbol must …`. */
export function fieldIn(message: string): string | undefined {
  const missing = /^body:? ?(\S*?) ?must have required property '([^']+)'/.exec(message)
  if (missing !== null) return withoutRecord([missing[1], missing[2]].filter(Boolean).join('.'))
  const quoted = /^Cannot accept [^:]*: "([^"]+)"/.exec(message)
  if (quoted !== null) return quoted[1]
  const named = /^(?:body: ?)?([a-z][\w[\]]*(?:\.[\w[\]]+)+)(?= )/i.exec(message)
  return named === null ? undefined : withoutRecord(named[1])
}

function withoutRecord(path: string): string {
  const at = path.indexOf('.')
  return at < 0 ? path : path.slice(at + 1)
}

/** Whatever was thrown, as an error that a page can show. */
export function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  const message = error instanceof Error ? error.message : String(error)
  return new ApiError({ status: 0, code: 'studio', message })
}
