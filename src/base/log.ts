import pino from 'pino'
import { redactText } from './redact.ts'

/** Where parts write what happened; one JSON object a line, secrets taken out. */
export type Log = pino.Logger

/** A log to a stream, or to standard output without waiting for it. */
export function createLog(options: {
  readonly level: string
  readonly destination?: { write(line: string): void }
}): Log {
  const destination = options.destination ?? pino.destination({ dest: 1, sync: false })
  return pino(
    {
      level: options.level,
      base: undefined,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { error: pino.stdSerializers.err },
      // The whole line is cleaned, so that a secret inside an error's text or a URL goes as well.
      hooks: { streamWrite: redactText },
    },
    destination,
  )
}
