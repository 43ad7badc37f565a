import assert from 'node:assert/strict'
import {
  type CatalogLimit,
  CatalogLimitReached,
  type CatalogStore,
  type CatalogWrite,
  type PutDocument,
} from '../../src/store/index.ts'
import type { CatalogStoreHome } from './catalog-store-home.ts'

type Case = (store: CatalogStore, home: CatalogStoreHome) => Promise<void>

function put(uid: string, more: Partial<PutDocument> = {}): PutDocument {
  const plain = { orgUid: 'org', kind: 'board', body: { name: uid }, expectedRevision: 0 }
  return { op: 'put', uid, ...plain, ...more } as PutDocument
}

function remove(uid: string): CatalogWrite {
  return { op: 'delete', orgUid: 'org', kind: 'board', uid, expectedRevision: 'any' }
}

const key = (uid: string) => ({ orgUid: 'org', kind: 'board', uid })

/** The promises about what organizations have and may have, and pages may take. */
export function limitCases(check: (name: string, run: Case) => void): void {
  const limit = (max: number, more: Partial<CatalogLimit> = {}): CatalogLimit => {
    return { orgUid: 'org', kinds: ['board'], of: 'documents', max, ...more }
  }
  const isReached = (error: unknown) => error instanceof CatalogLimitReached
  const boardsOf = async (store: CatalogStore) =>
    (await store.usage('org')).find(({ kind }) => kind === 'board')?.documents ?? 0

  check('list() refuses a page of several documents beyond its bytes, never one', async (store) => {
    const body = { text: 'x'.repeat(1_000) }
    for (const kind of ['board', 'unit']) {
      await store.commit(['a', 'b', 'c'].map((uid) => put(kind + uid, { kind, body })))
      const page = async (limit: number, bytesMax: number) =>
        (await store.list({ orgUid: 'org', kind, start: 0, limit, bytesMax })).documents.length
      assert.equal(await page(9, 3_300), 3)
      assert.equal(await page(2, 2_900), 2)
      assert.equal(await page(1, 10), 1)
      const refused = { code: 'bad_input', message: /has more than 2900 bytes/ }
      await assert.rejects(page(9, 2_900), refused)
    }
  })

  check('usage() tells documents and bytes of every kind, across restarts', async (store, home) => {
    assert.deepEqual(await store.usage('org'), [])
    await store.commit([put('a', { listKey: 'k\u00e4' }), put('u', { kind: 'unit' })])
    await store.commit([put('b', { orgUid: 'other' })])
    const sizes = async (from: CatalogStore) =>
      Object.fromEntries((await from.usage('org')).map((one) => [one.kind, one]))
    const first = await sizes(store)
    assert.deepEqual(Object.keys(first).sort(), ['board', 'unit'])
    assert.equal(first.board.documents, 1)
    assert.equal(first.board.bytes, first.unit.bytes + 3, 'the list key counts in UTF-8')
    await store.commit([put('a', { expectedRevision: 1, body: { name: 'a', more: 'x' } })])
    const second = await sizes(store)
    assert.equal(second.board.bytes, first.board.bytes - 3 + ',"more":"x"'.length)
    await store.commit([remove('a')])
    await store.close()
    const again = await home.open()
    try {
      const { board } = await sizes(again)
      assert.deepEqual(board, { kind: 'board', documents: 0, bytes: 0 })
    } finally {
      await again.close()
    }
  })

  check('commit() keeps nothing of a commit that would pass a limit', async (store) => {
    await store.commit([put('a')], undefined, [limit(2)])
    await assert.rejects(store.commit([put('b'), put('c')], undefined, [limit(2)]), isReached)
    assert.equal(await store.get(key('b')), undefined)
    await store.commit([put('b'), put('c'), remove('a')], undefined, [limit(2)])
    await store.commit([put('a')], undefined, [limit(2, { orgUid: 'other' })])
    assert.equal(await boardsOf(store), 3)
  })

  check('commit() takes what leaves no more than there was above a limit', async (store) => {
    await store.commit([put('a'), put('b'), put('c')])
    await store.commit([put('a', { expectedRevision: 1 })], undefined, [limit(1)])
    await store.commit([remove('b'), remove('c'), put('d')], undefined, [limit(1)])
    await assert.rejects(store.commit([put('e')], undefined, [limit(1)]), isReached)
    assert.equal(await boardsOf(store), 2)
  })

  check('commit() counts the bytes of several kinds together', async (store) => {
    const [a] = [put('a', { body: { text: 'x'.repeat(500) } })]
    const bytes = limit(1_200, { kinds: ['board', 'unit'], of: 'bytes' })
    await store.commit([a], undefined, [bytes])
    await store.commit([{ ...a, kind: 'unit' }], undefined, [bytes])
    await assert.rejects(store.commit([{ ...a, uid: 'b' }], undefined, [bytes]), isReached)
    await store.commit([{ ...a, kind: 'cycle' }], undefined, [bytes])
    const longer = { ...a, expectedRevision: 1, body: { text: 'x'.repeat(800) } }
    await assert.rejects(store.commit([longer], undefined, [bytes]), isReached)
    await store.commit([{ ...a, expectedRevision: 1, body: {} }], undefined, [bytes])
  })

  check('parallel commits never pass a limit together', async (store) => {
    const commits = Array.from({ length: 60 }, (_, at) =>
      store.commit([put(`p${at}`)], undefined, [limit(25)]),
    )
    const settled = await Promise.allSettled(commits)
    assert.equal(settled.filter(({ status }) => status === 'fulfilled').length, 25)
    assert.equal(await boardsOf(store), 25)
  })
}
