/** Sessions with databases of tests: they are on this machine, which the rules refuse by default. */
import {
  DatabaseFailure,
  type DatabaseLimits,
  type DatabaseTarget,
  type Row,
} from '../../src/connectors/database/database-port.ts'
import type { DatabaseSession } from '../../src/connectors/database/database-session.ts'
import { openDatabase } from '../../src/connectors/database/open-database.ts'
import { OutboundRules } from '../../src/connectors/outbound/outbound-rules.ts'

/** Long enough for a slow machine. */
export const TEST_LIMITS: DatabaseLimits = { connectMs: 60_000, answerMs: 60_000 }

/** What a test may choose of a session. */
interface SessionOptions {
  readonly limits?: Partial<DatabaseLimits>
  readonly signal?: AbortSignal
}

/** Opens a session with a server of this machine. */
export async function openLocal(
  target: DatabaseTarget,
  { limits, signal = new AbortController().signal }: SessionOptions = {},
): Promise<DatabaseSession> {
  const rules = new OutboundRules({ allow: ['127.0.0.0/8', 'localhost'] })
  return await openDatabase(target, { rules, limits: { ...TEST_LIMITS, ...limits }, signal })
}

/** All rows of a statement, with the names of its columns; the session is closed. */
export async function readAll(
  target: DatabaseTarget,
  sql: string,
  rowsMax = 0,
): Promise<{ columns: readonly string[]; rows: Row[]; batches: number }> {
  const session = await openLocal(target)
  try {
    let columns: readonly string[] = []
    const rows: Row[] = []
    let batches = 0
    for await (const batch of session.read(sql, rowsMax)) {
      columns = batch.columns
      rows.push(...batch.rows)
      batches += 1
    }
    return { columns, rows, batches }
  } finally {
    await session.close()
  }
}

/** How something fails; fails the test when it does not. */
export async function failureOf(work: Promise<unknown>): Promise<DatabaseFailure> {
  try {
    await work
  } catch (error) {
    if (error instanceof DatabaseFailure) return error
    throw error
  }
  throw new Error('it did not fail')
}
