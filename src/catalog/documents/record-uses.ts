/**
 * Prevents a record from being deleted while another one begins to refer to it. Works across processes.
 *
 * The deleter writes a mark, looks for uses, and deletes record and mark in one commit. A commit that begins to use the
 * record removes the mark, so the deleter must check again. That commit fails if the record is already deleted. A mark
 * left by a crash blocks nothing.
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
