/** Types of errors as in the answers of Prometheus: bad_data is 400, execution 422, timeout and canceled 503. */
type PromqlErrorKind = 'bad_data' | 'execution' | 'timeout' | 'canceled'

/** A query that cannot be answered. The message is for the person who wrote the query. */
export class PromqlError extends Error {
  readonly kind: PromqlErrorKind

  constructor(kind: PromqlErrorKind, message: string) {
    super(message)
    this.name = 'PromqlError'
    this.kind = kind
  }
}
