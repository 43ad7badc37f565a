import { type ErrorCode, type ErrorDetails, errorCatalogue } from './error-catalogue.ts'

/** A call that cannot be served as it stands: the caller can act on the message. */
export class Refusal extends Error {
  readonly code: ErrorCode
  readonly status: number
  /** Seconds after which the same call may go through, told as Retry-After. */
  readonly retryAfterSeconds: number | undefined

  constructor(code: ErrorCode, message: string, retryAfterSeconds?: number) {
    super(message)
    this.name = 'Refusal'
    this.code = code
    this.status = errorCatalogue[code].status
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** Builds the refusal of a code; its message comes from the catalogue. */
export function refusal<C extends ErrorCode>(code: C, details: ErrorDetails<C>): Refusal {
  const text = errorCatalogue[code].text as (about: ErrorDetails<C>) => string
  const retryAfter = (details as { retryAfterSeconds?: number }).retryAfterSeconds
  return new Refusal(code, text(details), retryAfter)
}

/** Throws the refusal of a code. */
export function refuse<C extends ErrorCode>(code: C, details: ErrorDetails<C>): never {
  throw refusal(code, details)
}
