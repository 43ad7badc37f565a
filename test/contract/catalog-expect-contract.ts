import assert from 'node:assert/strict'
import {
  CatalogConflict,
  type CatalogStore,
  type CatalogWrite,
  type PutDocument,
} from '../../src/store/index.ts'

const key = (uid: string) => ({ orgUid: 'org', kind: 'board', uid })

function put(uid: string, claims: readonly string[] = []): PutDocument {
  return { op: 'put', ...key(uid), body: { name: uid }, expectedRevision: 0, claims }
}

const conflictOn = (uid: string) => (error: unknown) =>
  error instanceof CatalogConflict && error.claim === undefined && error.key.uid === uid

/** The promises about what a commit expects of documents that it does not write. */
export function expectCases(
  check: (name: string, run: (store: CatalogStore) => Promise<void>) => void,
): void {
  check('what a commit expects of other documents decides over all of it', async (store) => {
    const expect = (uid: string, expectedRevision: number | 'any'): CatalogWrite => {
      return { op: 'expect', ...key(uid), expectedRevision }
    }
    await store.commit([put('a', ['id:1'])])
    for (const one of [expect('a', 2), expect('a', 0), expect('b', 'any'), expect('b', 1)]) {
      await assert.rejects(store.commit([put('x'), one]), conflictOn(one.uid))
      assert.equal(await store.get(key('x')), undefined)
    }
    const asReported = [expect('a', 'any'), put('x'), expect('a', 1), expect('b', 0)]
    const { records } = await store.commit(asReported)
    assert.deepEqual(
      records.map(({ uid }) => uid),
      ['x'],
    )
    assert.equal((await store.findByClaim('org', 'id:1'))?.revision, 1)
    const { changes } = await store.changesSince(0, 10)
    assert.deepEqual(
      changes.map(({ uid }) => uid),
      ['a', 'x'],
    )
  })
}
