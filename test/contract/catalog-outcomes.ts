/** What the contract suites of the catalog ask of outcomes. */
import assert from 'node:assert/strict'
import { CatalogConflict, type CatalogStore } from '../../src/store/index.ts'

/** What an organization has of a kind. */
export async function usageOf(store: CatalogStore, kind: string, orgUid = 'org') {
  const found = (await store.usage(orgUid)).find((one) => one.kind === kind)
  return { documents: found?.documents ?? 0, bytes: found?.bytes ?? 0 }
}

/** Whether an error is a conflict about a claim, or about a revision, of a record. */
export const conflictOn = (claim: string | undefined, uid?: string) => (error: unknown) => {
  assert.ok(error instanceof CatalogConflict, String(error))
  assert.equal(error.claim, claim)
  if (uid !== undefined) assert.equal(error.key.uid, uid)
  return true
}
