/** Errors as Prometheus' query API writes them. Credentials are those of the API proper. */
import { PromqlError } from '../../promql/plain.ts'
import { readCallCredentials } from '../admit/read-call.ts'
import type { Dialect } from '../table/dialect.ts'
import { type ErrorReply, errorReply } from '../transport/error-reply.ts'

/** The status of each kind of error of a query. */
const STATUSES: Readonly<Record<PromqlError['kind'], number>> = {
  bad_data: 400,
  execution: 422,
  timeout: 503,
  canceled: 503,
}

/** What other statuses are called. Prometheus itself has no 401, 403, and 429. */
const TYPES: Readonly<Record<number, string>> = {
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  429: 'unavailable',
  500: 'internal',
  503: 'unavailable',
}

export const prometheusDialect: Dialect = {
  name: 'prometheus',
  readCredentials: readCallCredentials,
  writeError: (error): ErrorReply => {
    if (error instanceof PromqlError) {
      const { kind, message } = error
      return {
        status: STATUSES[kind],
        code: kind,
        body: errorBody(kind, message),
        headers: {},
        incident: undefined,
        reason: undefined,
      }
    }
    const reply = errorReply(error)
    const { message } = JSON.parse(reply.body) as { message: string }
    return { ...reply, body: errorBody(TYPES[reply.status] ?? 'bad_data', message) }
  },
}

function errorBody(errorType: string, error: string): string {
  return JSON.stringify({ status: 'error', errorType, error })
}
