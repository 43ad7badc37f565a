import { createRequire } from 'node:module'
import type pino from 'pino'
import { redactText } from './redact.ts'

/** Where parts write what happened; one JSON object a line, secrets taken out. */
export type Log = pino.Logger

/**
 * A log to a stream, or to standard output without waiting for it. Pino is loaded by the first: threads share this
 * folder and have no log.
 */
export function createLog(options: {
  readonly level: string
  readonly destination?: { write(line: string): void }
}): Log {
  const load = createRequire(import.meta.url)
  const makeLog = load('pino') as typeof pino
  const destination = options.destination ?? makeLog.destination({ dest: 1, sync: false })
  return makeLog(
    {
      level: options.level,
      base: undefined,
      timestamp: makeLog.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { error: makeLog.stdSerializers.err },
      // The whole line is cleaned, so that a secret inside an error's text or a URL goes as well.
      hooks: { streamWrite: redactText },
    },
    destination,
  )
}
