/** Answers and errors as InfluxDB writes them, by the version of its API. */
import { Refusal } from '../../base/index.ts'
import type { WriteOutcome } from '../../intake/index.ts'
import { Answer } from '../table/call-answer.ts'
import type { Dialect } from '../table/dialect.ts'
import { readDoorCall } from './door-credential.ts'
import { doorError } from './door-error.ts'

/** The version of the API that a call uses. */
export type InfluxVersion = 'v1' | 'v2' | 'v3'

/** The headers of every answer of these calls. */
export const INFLUX_HEADERS = {
  'X-Influxdb-Version': '1.8.10',
  'X-Influxdb-Build': 'OSS',
} as const

/** What v2 calls each status. */
const V2_CODES: Readonly<Record<number, string>> = {
  400: 'invalid',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not found',
  405: 'method not allowed',
  413: 'request too large',
  415: 'unsupported media type',
  500: 'internal error',
  503: 'unavailable',
}

/** How a version of the API carries credentials and writes errors. */
export function influxDialect(version: InfluxVersion): Dialect {
  return {
    name: `influx ${version}`,
    readCredentials: (exchange) => readDoorCall(exchange, { hasUserAndPassword: version === 'v1' }),
    writeError: (error) =>
      doorError(error, {
        headers: INFLUX_HEADERS,
        bodyOf: (status, message) => errorBody(status, message, version),
      }),
  }
}

function errorBody(status: number, message: string, version: InfluxVersion): string {
  if (version === 'v2') {
    const shown = status === 401 ? 'unauthorized: unknown token' : message
    return JSON.stringify({ code: V2_CODES[status] ?? 'invalid', message: shown })
  }
  if (status !== 401) return JSON.stringify({ error: message })
  const shown = version === 'v1' ? 'authorization failed' : 'the request was not authenticated'
  return JSON.stringify({ error: shown })
}

/** The reply to a write. Throws 403 when the caller may store none of its points. */
export function influxAnswer(outcome: WriteOutcome, version: InfluxVersion): Answer {
  const { acceptedCount, refusedCount, forbiddenCount, refused } = outcome
  if (refusedCount === 0) return new Answer('', { status: 204, headers: INFLUX_HEADERS })
  if (acceptedCount === 0 && forbiddenCount === refusedCount) {
    throw new Refusal('forbidden', refused[0].reason)
  }
  return new Answer(partialBody(outcome, version), { status: 400, headers: INFLUX_HEADERS })
}

function partialBody({ refused, refusedCount }: WriteOutcome, version: InfluxVersion): string {
  const [first] = refused
  switch (version) {
    case 'v1':
      return JSON.stringify({ error: `partial write: ${first.reason} dropped=${refusedCount}` })
    case 'v2': {
      const shown = refused.slice(0, 10).map(({ line, reason }) => `line ${line}: ${reason}`)
      const message = `partial write: ${shown.join('; ')} (${refusedCount} refused)`
      return JSON.stringify({ code: 'invalid', message })
    }
    case 'v3':
      return JSON.stringify({
        error: 'partial write of line protocol occurred',
        data: refused.map(({ line, text, reason }) => ({
          original_line: text,
          line_number: line,
          error_message: reason,
        })),
      })
  }
}
