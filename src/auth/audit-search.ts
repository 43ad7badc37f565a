/** Search in the audit log, newest first. */
import { nextIteration } from '../base/index.ts'
import type { CatalogStore } from '../store/index.ts'
import type { AuditAct } from './audit-acts.ts'
import { AUDIT_KIND, type AuditRecord, auditRecordOf, timeKeyOf } from './audit-record.ts'

/** Which entries are asked for; a field that is left out leaves none of them out. */
export interface AuditFilter {
  readonly from?: number
  readonly until?: number
  readonly acts?: readonly AuditAct[]
  readonly actor?: string
  /** Words that an entry must have all, in any of its texts; upper and lower case are the same. */
  readonly words?: readonly string[]
}

/** A page of what a search found. */
export interface AuditFound {
  readonly entries: readonly AuditRecord[]
  /** How many entries of those that were read match. */
  readonly totalCount: number
  /** Entries before this time were not read; undefined: all were. */
  readonly readFrom?: number
}

/** Entries that one search reads: about a second on a cluster. */
const READ_MAX = 10_000
/** Entries read between two turns of others: about five milliseconds. */
const STEP = 500
/** Beyond every time of an entry. */
const TIME_MAX = 999_999_999_999_999

/** A page of the matching entries among the newest that one search may read. */
export async function searchAudit(
  store: CatalogStore,
  orgUid: string,
  query: AuditFilter & { readonly start: number; readonly limit: number },
): Promise<AuditFound> {
  const { start, limit } = query
  const matches: AuditRecord[] = []
  let read = 0
  let oldest = 0
  for await (const step of readDown(store, orgUid, query)) {
    read += step.length
    matches.push(...step.filter((one) => isMatch(one, query)))
    oldest = step.at(-1)?.time ?? oldest
    if (read >= READ_MAX) break
  }
  // Of the oldest millisecond some entries may not be read: the next search has it as a whole.
  const whole = read < READ_MAX ? matches : matches.filter(({ time }) => time > oldest)
  return {
    entries: whole.slice(start, start + limit),
    totalCount: whole.length,
    ...(read < READ_MAX ? {} : { readFrom: oldest + 1 }),
  }
}

/** All matching entries, some at a time. */
export async function* walkAudit(
  store: CatalogStore,
  orgUid: string,
  filter: AuditFilter,
): AsyncGenerator<readonly AuditRecord[]> {
  for await (const step of readDown(store, orgUid, filter)) {
    yield step.filter((one) => isMatch(one, filter))
  }
}

async function* readDown(
  store: CatalogStore,
  orgUid: string,
  { from = 0, until = TIME_MAX }: AuditFilter,
): AsyncGenerator<readonly AuditRecord[]> {
  const down = { from: timeKeyOf(from), until: timeKeyOf(Math.min(until, TIME_MAX)) }
  const query = { orgUid, kind: AUDIT_KIND, limit: STEP, down }
  for (let after: string | undefined, isOver = from >= until; !isOver; ) {
    const { documents, next } = await store.walk({ ...query, after })
    yield documents.map(auditRecordOf)
    after = next
    isOver = next === undefined
    await nextIteration()
  }
}

function isMatch(entry: AuditRecord, { acts, actor, words = [] }: AuditFilter): boolean {
  if (acts !== undefined && !acts.includes(entry.act)) return false
  if (actor !== undefined && entry.actor !== actor) return false
  if (words.length === 0) return true
  const { act, target, address, detail } = entry
  const text = `${act} ${entry.actor} ${target} ${address} ${detail}`.toLowerCase()
  return words.every((word) => text.includes(word))
}
