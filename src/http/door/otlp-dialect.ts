/** Answers and errors of OpenTelemetry, in the type of the request: JSON or protobuf. */
import { Refusal } from '../../base/index.ts'
import type { WriteOutcome } from '../../intake/index.ts'
import { Answer } from '../table/call-answer.ts'
import type { Dialect } from '../table/dialect.ts'
import { readDoorCall } from './door-credential.ts'
import { doorError } from './door-error.ts'

/** How a body is encoded. */
export type OtlpEncoding = 'json' | 'protobuf'

/** The media types of bodies. */
export const OTLP_TYPES = {
  json: 'application/json',
  protobuf: 'application/x-protobuf',
} as const

/** What gRPC calls each status. */
const CODES: Readonly<Record<number, number>> = {
  400: 3,
  401: 16,
  403: 7,
  404: 5,
  405: 12,
  413: 11,
  415: 3,
  503: 14,
}
const INTERNAL = 13

/** Reasons that an answer lists. */
const SHOWN_MAX = 10

/** The fields of the messages that are written. */
const STATUS_CODE = 0x08
const STATUS_MESSAGE = 0x12
const PARTIAL_SUCCESS = 0x0a
const REJECTED_POINTS = 0x08
const ERROR_MESSAGE = 0x12

/** The encoding that a Content-Type names; undefined for any other. */
export function otlpEncoding(contentType: string | undefined): OtlpEncoding | undefined {
  const type = (contentType ?? '').split(';')[0].trim().toLowerCase()
  if (type === OTLP_TYPES.json) return 'json'
  return type === OTLP_TYPES.protobuf ? 'protobuf' : undefined
}

export const otlpDialect: Dialect = {
  name: 'otlp',
  readCredentials: (exchange) => readDoorCall(exchange, { hasUserAndPassword: false }),
  writeError: (error, { req }) => {
    const encoding = otlpEncoding(req.headers['content-type']) ?? 'json'
    return doorError(error, {
      headers: { 'Content-Type': OTLP_TYPES[encoding] },
      bodyOf: (status, message) => statusBody(CODES[status] ?? INTERNAL, message, encoding),
      // Exporters drop a batch after a 500.
      alsoPassing: [500],
    })
  },
}

/** A `google.rpc.Status`. */
function statusBody(code: number, message: string, encoding: OtlpEncoding): string | Uint8Array {
  if (encoding === 'json') return JSON.stringify({ code, message })
  return Buffer.concat([Buffer.from([STATUS_CODE, code]), textField(STATUS_MESSAGE, message)])
}

/** The reply to a write, with what was rejected. Throws 403 when the caller may store none of its points. */
export function otlpAnswer(outcome: WriteOutcome, encoding: OtlpEncoding): Answer {
  const { acceptedCount, refusedCount, forbiddenCount, refused } = outcome
  const headers = { 'Content-Type': OTLP_TYPES[encoding] }
  if (refusedCount === 0) return new Answer(encoding === 'json' ? '{}' : '', { headers })
  if (acceptedCount === 0 && forbiddenCount === refusedCount) {
    throw new Refusal('forbidden', refused[0].reason)
  }
  const shown = refused.slice(0, SHOWN_MAX).map(({ text, reason }) => `${text}: ${reason}`)
  const partial = { rejected: rejectedPoints(outcome), message: shown.join('; ') }
  return new Answer(partialBody(partial, encoding), { headers })
}

/** Several samples of a rejected point count once, as long as all rejected samples are listed. */
function rejectedPoints({ refused, refusedCount }: WriteOutcome): number {
  if (refused.length < refusedCount) return refusedCount
  return new Set(refused.map(({ line }) => line)).size
}

interface PartialSuccess {
  readonly rejected: number
  readonly message: string
}

/** An `ExportMetricsServiceResponse` with a partial success. */
function partialBody({ rejected, message }: PartialSuccess, encoding: OtlpEncoding) {
  if (encoding === 'json') {
    const partialSuccess = { rejectedDataPoints: String(rejected), errorMessage: message }
    return JSON.stringify({ partialSuccess })
  }
  const count = Buffer.from([REJECTED_POINTS, ...varint(rejected)])
  const body = Buffer.concat([count, textField(ERROR_MESSAGE, message)])
  return Buffer.concat([Buffer.from([PARTIAL_SUCCESS, ...varint(body.length)]), body])
}

function textField(key: number, text: string): Buffer {
  const bytes = Buffer.from(text)
  return Buffer.concat([Buffer.from([key, ...varint(bytes.length)]), bytes])
}

function varint(value: number): number[] {
  const bytes: number[] = []
  let rest = value
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) + 0x80)
  return [...bytes, rest]
}
