/** A place in a text that the service refused: lines and columns counted from 1, and the line with ^^^ below it. */
export interface TextPlace {
  readonly line: number
  readonly column: number
  readonly pointer: string
}

/** What the service refused, in words of the pages; `code` is one of docs/errors.md, or `connection`. */
export class ApiError extends Error {
  readonly status: number
  readonly code: string
  /** The path of the field that the message is about, with the kind of its record: `unit.symbol`. */
  readonly path: string | undefined
  /** The same without the kind: `symbol`, `stream[0].id`. */
  readonly field: string | undefined
  readonly retryAfterSeconds: number | undefined
  /** Where in the text that was sent the mistake is. */
  readonly place: TextPlace | undefined

  constructor(about: {
    readonly status: number
    readonly code: string
    readonly message: string
    readonly retryAfterSeconds?: number
    readonly path?: string
    readonly place?: TextPlace
  }) {
    super(about.message)
    this.name = 'ApiError'
    this.status = about.status
    this.code = about.code
    this.path = about.path
    this.field = about.path?.slice(about.path.indexOf('.') + 1)
    this.retryAfterSeconds = about.retryAfterSeconds
    this.place = about.place
  }
}

/** Whatever was thrown, as an error that a page can show. */
export function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  const message = error instanceof Error ? error.message : String(error)
  return new ApiError({ status: 0, code: 'studio', message })
}
