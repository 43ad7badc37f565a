/** Answers and errors of remote write: plain text, as Prometheus writes them. */
import { Refusal } from '../../base/index.ts'
import type { RemoteWriteVersion, WriteOutcome } from '../../intake/index.ts'
import { Answer } from '../table/call-answer.ts'
import type { Dialect } from '../table/dialect.ts'
import { readDoorCall } from './door-credential.ts'
import { doorError } from './door-error.ts'

const TEXT = { 'Content-Type': 'text/plain; charset=utf-8' } as const

/** Reasons that the body of an answer lists. */
const SHOWN_MAX = 10

export const remoteWriteDialect: Dialect = {
  name: 'remote write',
  readCredentials: (exchange) => readDoorCall(exchange, { hasUserAndPassword: false }),
  writeError: (error) =>
    doorError(error, { headers: TEXT, bodyOf: (_, message) => `${message}\n` }),
}

/** The reply to a write. Throws 403 when the caller may store none of its points. */
export function remoteWriteAnswer(outcome: WriteOutcome, version: RemoteWriteVersion): Answer {
  const { acceptedCount, refusedCount, forbiddenCount, refused } = outcome
  const written = writtenHeaders(version, acceptedCount)
  if (refusedCount === 0) return new Answer('', { status: 204, headers: written })
  if (acceptedCount === 0 && forbiddenCount === refusedCount) {
    throw new Refusal('forbidden', refused[0].reason)
  }
  const shown = refused.slice(0, SHOWN_MAX).map(({ text, reason }) => `${text}: ${reason}\n`)
  const counts = `${refusedCount} points rejected, ${acceptedCount} stored\n`
  return new Answer(counts + shown.join(''), { status: 400, headers: { ...TEXT, ...written } })
}

/** What version 2.0 reports of a body, also of a malformed one. Histograms are rejected, and exemplars are ignored. */
export function writtenHeaders(
  version: RemoteWriteVersion,
  samples: number,
): Readonly<Record<string, string>> {
  if (version === 1) return {}
  return {
    'X-Prometheus-Remote-Write-Samples-Written': String(samples),
    'X-Prometheus-Remote-Write-Histograms-Written': '0',
    'X-Prometheus-Remote-Write-Exemplars-Written': '0',
  }
}
