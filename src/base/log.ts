import { createRequire } from 'node:module'
import type pino from 'pino'
import { boundedLog } from './process-outputs.ts'
import { redactText } from './redact.ts'

/** Where parts write what happened; one JSON object a line, secrets taken out. */
export type Log = pino.Logger

/**
 * A log to a stream, or to standard output without waiting for it. Pino's own destination is not used: it flushes
 * synchronously after a fatal line and at exit, and repeats a write that fails without end. Pino is loaded by the
 * first log: threads share this folder and have none.
 */
export function createLog(options: {
  readonly level: string
  readonly destination?: { write(line: string): void }
}): Log {
  const load = createRequire(import.meta.url)
  const makeLog = load('pino') as typeof pino
  const destination = options.destination ?? boundedLog(process.stdout)
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
