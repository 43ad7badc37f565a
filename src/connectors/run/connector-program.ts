/** The procs of a connector as one text, which is run in one atomic call. */
import { Refusal } from '../../base/index.ts'
import type { ConnectorProc } from '../record/connector-shape.ts'

/** Ends the last statement of a proc, also where a comment ends it, and takes two lines. */
const BETWEEN = '\n;\n'
const LINES_BETWEEN = 2

/** The text of all procs, in their order; they are of one time zone. */
export function programOf(procs: readonly ConnectorProc[]): ConnectorProc {
  if (procs.length === 1) return procs[0]
  return { timeZoneId: procs[0].timeZoneId, sql: procs.map(({ sql }) => sql).join(BETWEEN) }
}

/** A refusal with a place in the text of several procs, with the place in the proc it is in; others as they are. */
export function placeInProc(error: unknown, procs: readonly ConnectorProc[]): unknown {
  if (procs.length === 1 || !(error instanceof Refusal) || error.place === undefined) return error
  let { line } = error.place
  let at = 0
  for (; at < procs.length - 1; at += 1) {
    const lines = procs[at].sql.split('\n').length
    if (line <= lines) break
    line -= lines + LINES_BETWEEN - 1
  }
  const message = error.message.replace(/^Line \d+/, `procs[${at}], line ${line}`)
  return new Refusal(error.code, message, {
    retryAfterSeconds: error.retryAfterSeconds,
    field: `connector.procs[${at}].sql`,
    place: { ...error.place, line },
  })
}
