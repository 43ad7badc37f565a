/** The checks of a commit that are the same in every catalog store. */
import { streamIdClaim } from '../fields/unique-texts.ts'
import { CatalogConflict, type Lease } from '../ports/catalog-port.ts'
import type { CreateComponents } from '../ports/component-port.ts'
import type { DocumentKey } from '../ports/document-key.ts'

/** The key of a write or record, without its other fields. */
export function plainKeyOf({ orgUid, kind, uid }: DocumentKey): DocumentKey {
  return { orgUid, kind, uid }
}

/** Refuses a write whose caller has seen another revision; 0 stands for a record that does not exist. */
export function requireRevision(
  write: DocumentKey & { readonly expectedRevision: number | 'any' },
  revision = 0,
): void {
  const { expectedRevision } = write
  if (expectedRevision === 'any' || expectedRevision === revision) return
  throw new CatalogConflict(plainKeyOf(write), undefined)
}

/** Refuses a commit under a lease that another process holds by now. */
export function requireLease(held: Lease | undefined, lease: Lease): void {
  if (isSameLease(held, lease)) return
  throw new CatalogConflict({ orgUid: '', kind: 'lease', uid: lease.name }, undefined)
}

/** Whether a lease is still held as it was acquired. */
export function isSameLease(held: Lease | undefined, lease: Lease): boolean {
  return held?.holder === lease.holder && held.fence === lease.fence
}

/** Refuses two streams of one new component with the same ID. */
export function requireOwnStreamIds(create: CreateComponents): void {
  const { orgUid, uids, streamCounts, streamIds } = create
  const seen = new Set<string>()
  let stream = 0
  for (const [at, count] of streamCounts.entries()) {
    seen.clear()
    for (let left = count; left > 0; left--, stream++) {
      // Most components have a single stream, which cannot share its ID.
      const id = count === 1 ? '' : streamIds[stream].toWellFormed()
      if (seen.has(id)) {
        const key = { orgUid, kind: 'component', uid: uids[at] }
        throw new CatalogConflict(key, streamIdClaim(uids[at], id))
      }
      if (id !== '') seen.add(id)
    }
  }
}
