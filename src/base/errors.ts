import {
  type ErrorCode,
  type ErrorDetails,
  errorCatalogue,
  type TextPlace,
} from './error-catalogue.ts'

/** What a refusal may contain besides its code and message. */
interface RefusalDetails {
  readonly retryAfterSeconds?: number
  readonly field?: string
  readonly place?: TextPlace
}

/** A call that cannot be served. The message says what the caller can change. */
export class Refusal extends Error {
  readonly code: ErrorCode
  readonly status: number
  /** Seconds after which the same call may go through, reported as Retry-After. */
  readonly retryAfterSeconds: number | undefined
  /** The field of a record that it is about, such as `unit.symbol`. */
  readonly field: string | undefined
  /** Where in a text of GS SQL it is. */
  readonly place: TextPlace | undefined

  constructor(code: ErrorCode, message: string, more: RefusalDetails = {}) {
    super(message)
    this.name = 'Refusal'
    this.code = code
    this.status = errorCatalogue[code].status
    this.retryAfterSeconds = more.retryAfterSeconds
    this.field = more.field
    this.place = more.place
  }
}

/** Builds the refusal of a code; its message comes from the catalogue. */
export function refusal<C extends ErrorCode>(code: C, details: ErrorDetails<C>): Refusal {
  const text = errorCatalogue[code].text as (about: ErrorDetails<C>) => string
  return new Refusal(code, text(details), details as RefusalDetails)
}

/** Throws the refusal of a code. */
export function refuse<C extends ErrorCode>(code: C, details: ErrorDetails<C>): never {
  throw refusal(code, details)
}
