/**
 * Anyone who deletes a record that nothing may refer to, and anyone who begins to refer to it, exclude each
 * other by what they commit, in one process or several. The deleter leaves a mark, looks for uses, and
 * deletes record and mark together; a commit that begins to use the record takes the mark away, so that
 * the deleter has to look again, and comes to nothing once the record is gone. A mark that a crash left
 * behind keeps nobody from anything.
 */
import { CatalogConflict, type CatalogWrite, type DocumentKey } from '../../store/index.ts'

/** The kind of the marks that deleters leave; each has the UID of its record. */
export const MARK = 'deletion_mark'

/** A record that a commit begins to use, at the revision that matters to it, if one does. */
export type UsedRecord = DocumentKey & { readonly revision?: number }

/** What a commit that begins to use records makes sure of. */
export function useWrites(records: readonly UsedRecord[]): CatalogWrite[] {
  return records.flatMap(({ orgUid, kind, uid, revision }): CatalogWrite[] => [
    { op: 'expect', orgUid, kind, uid, expectedRevision: revision ?? 'any' },
    { op: 'delete', orgUid, kind: MARK, uid, expectedRevision: 'any' },
  ])
}

/** The same writes; of what several documents of a commit use is made sure once. */
export function withoutRepeatedUses(writes: readonly CatalogWrite[]): readonly CatalogWrite[] {
  if (!writes.some(({ op }) => op === 'expect')) return writes
  const seen = new Set<string>()
  return writes.filter(({ op, kind, uid, expectedRevision }) => {
    if (op !== 'expect' && (kind !== MARK || expectedRevision !== 'any')) return true
    const text = `${kind} ${uid} ${expectedRevision}`
    if (seen.has(text)) return false
    seen.add(text)
    return true
  })
}

/** Whether a commit came to nothing because another has begun to use the record that it ends. */
export function isMarkConflict(error: unknown): boolean {
  return error instanceof CatalogConflict && error.key.kind === MARK
}
