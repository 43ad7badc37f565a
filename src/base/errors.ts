import { type ErrorCode, type ErrorDetails, errorCatalogue } from './error-catalogue.ts'

/** A call that cannot be served as it stands: the caller can act on the message. */
export class Refusal extends Error {
  readonly code: ErrorCode
  readonly status: number
  /** Seconds after which the same call may go through, told as Retry-After. */
  readonly retryAfterSeconds: number | undefined
  /** The field of a record that it is about, such as `unit.symbol`. */
  readonly field: string | undefined

  constructor(code: ErrorCode, message: string, retryAfterSeconds?: number, field?: string) {
    super(message)
    this.name = 'Refusal'
    this.code = code
    this.status = errorCatalogue[code].status
    this.retryAfterSeconds = retryAfterSeconds
    this.field = field
  }
}

/** Builds the refusal of a code; its message comes from the catalogue. */
export function refusal<C extends ErrorCode>(code: C, details: ErrorDetails<C>): Refusal {
  const text = errorCatalogue[code].text as (about: ErrorDetails<C>) => string
  const { retryAfterSeconds, field } = details as { retryAfterSeconds?: number; field?: string }
  return new Refusal(code, text(details), retryAfterSeconds, field)
}

/** Throws the refusal of a code. */
export function refuse<C extends ErrorCode>(code: C, details: ErrorDetails<C>): never {
  throw refusal(code, details)
}
