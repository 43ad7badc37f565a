import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  CatalogConflict,
  type CatalogDocument,
  type CatalogStore,
  type CatalogWrite,
  type PutDocument,
} from '../../src/store/index.ts'
import { componentCases } from './catalog-component-contract.ts'
import { componentListCases } from './catalog-component-list-contract.ts'
import { createdCases } from './catalog-create-contract.ts'
import { expectCases } from './catalog-expect-contract.ts'
import { leaseCases } from './catalog-lease-contract.ts'
import { limitCases } from './catalog-limit-contract.ts'
import type { CatalogStoreHome } from './catalog-store-home.ts'
import { behavesAsModel } from './catalog-store-property.ts'
import { walkCases } from './catalog-walk-contract.ts'

/** A document with the few fields that a case is about. */
function put(uid: string, more: Partial<PutDocument> = {}): PutDocument {
  const plain = { orgUid: 'org', kind: 'board', body: { name: uid }, expectedRevision: 0 }
  return { op: 'put', uid, ...plain, ...more } as PutDocument
}

function remove(uid: string, expectedRevision: number | 'any' = 'any') {
  return { op: 'delete' as const, orgUid: 'org', kind: 'board', uid, expectedRevision }
}

const key = (uid: string, kind = 'board') => ({ orgUid: 'org', kind, uid })
const conflictOn = (claim: string | undefined, uid: string) => (error: unknown) =>
  error instanceof CatalogConflict && error.claim === claim && error.key.uid === uid

type Case = (store: CatalogStore, home: CatalogStoreHome) => Promise<void>

/** Runs every promise of the CatalogStore port against one adapter. */
export function catalogStoreContract(
  engine: string,
  makeHome: () => Promise<CatalogStoreHome>,
): void {
  const check = (name: string, run: Case) =>
    test(`${engine}: ${name}`, async () => {
      const home = await makeHome()
      const store = await home.open()
      try {
        await run(store, home)
      } finally {
        await store.close()
        await home.dispose()
      }
    })
  documentCases(check)
  conflictCases(check)
  expectCases(check)
  listCases(check)
  walkCases(check)
  cacheCases(check)
  leaseCases(check)
  limitCases(check)
  createdCases(check)
  componentCases(check)
  componentListCases(check)
  check('behaves as the model does, over random commits and restarts', behavesAsModel)
}

type Check = (name: string, run: Case) => void

function documentCases(check: Check): void {
  check('commit() answers the documents as written and get() finds them', async (store) => {
    const body = { name: 'ä \u0000 😀', nested: { list: [1, null, true, 'x'] } }
    const { records } = await store.commit([put('a', { body, listKey: 'k', expiresAtMs: 7 })])
    const expected: CatalogDocument = {
      ...key('a'),
      parentUid: '',
      revision: 1,
      listKey: 'k',
      expiresAtMs: 7,
      body,
    }
    assert.deepEqual(records, [expected])
    assert.deepEqual(await store.get(key('a')), expected)
    assert.equal(await store.get(key('b')), undefined)
    assert.equal(await store.get({ ...key('a'), orgUid: 'other' }), undefined)
    assert.equal(await store.get({ ...key('a'), kind: 'unit' }), undefined)
  })

  check('an update replaces everything and raises the revision by one', async (store) => {
    await store.commit([put('a', { listKey: 'k', parentUid: 'p', expiresAtMs: 7 })])
    const update = put('a', { expectedRevision: 1, body: { name: 'new' } })
    const [second] = (await store.commit([update])).records as CatalogDocument[]
    assert.deepEqual(await store.get(key('a')), second)
    assert.equal(second.revision, 2)
    assert.deepEqual(
      [second.listKey, second.parentUid, second.expiresAtMs, second.body],
      ['', '', undefined, { name: 'new' }],
    )
  })

  check('everything is there again after a close', async (store, home) => {
    await store.commit([put('a', { claims: ['id:a'] }), put('b', { parentUid: 'a' })])
    await store.commit([put('a', { expectedRevision: 1, claims: ['id:a2'] })])
    const before = await store.get(key('a'))
    await store.close()
    const reopened = await home.open()
    assert.deepEqual(await reopened.get(key('a')), before)
    assert.equal((await reopened.findByClaim('org', 'id:a2'))?.uid, 'a')
    assert.equal(await reopened.findByClaim('org', 'id:a'), undefined)
    assert.equal((await reopened.list({ ...key(''), start: 0, limit: 9 })).totalCount, 2)
    await reopened.close()
  })

  check('a commit of many documents is one commit', async (store) => {
    const many = Array.from({ length: 3_500 }, (_, index) => put(`u${index}`))
    await assert.rejects(store.commit([...many, put('u7')]), conflictOn(undefined, 'u7'))
    assert.equal(await store.get(key('u7')), undefined)
    const { records } = await store.commit(many)
    assert.deepEqual(
      records.map(({ uid }) => uid),
      many.map(({ uid }) => uid),
    )
    assert.deepEqual(await store.commit([]), { records: [], firstHandles: [] })
  })

  check('purgeExpired() deletes expired records, up to its limit', async (store) => {
    await store.commit([
      put('gone1', { expiresAtMs: 100, claims: ['id:gone1'] }),
      put('gone2', { expiresAtMs: 200 }),
      put('later', { expiresAtMs: 201 }),
      put('never'),
    ])
    const { cursor } = await store.changesSince(0, 100)
    assert.equal(await store.purgeExpired(200, 1), 1)
    assert.equal(await store.purgeExpired(200, 10), 1)
    assert.equal(await store.purgeExpired(200, 10), 0)
    assert.equal(await store.findByClaim('org', 'id:gone1'), undefined)
    const { documents } = await store.list({ ...key(''), start: 0, limit: 9 })
    assert.deepEqual(documents.map(({ uid }) => uid).sort(), ['later', 'never'])
    const { changes } = await store.changesSince(cursor, 100)
    assert.deepEqual(
      changes.map(({ uid, isDeleted }) => [uid, isDeleted]),
      [
        ['gone1', true],
        ['gone2', true],
      ],
    )
  })
}

function conflictCases(check: Check): void {
  check('a revision that differs refuses the whole commit', async (store) => {
    await store.commit([put('a')])
    const refused = async (write: CatalogWrite, uid: string) => {
      await assert.rejects(store.commit([put('x'), write]), conflictOn(undefined, uid))
      assert.equal(await store.get(key('x')), undefined)
      assert.equal((await store.get(key('a')))?.revision, 1)
    }
    await refused(put('a'), 'a')
    await refused(put('a', { expectedRevision: 2 }), 'a')
    await refused(put('b', { expectedRevision: 1 }), 'b')
    await refused(remove('a', 2), 'a')
    await refused(remove('b', 1), 'b')
    await store.commit([remove('b', 'any'), put('a', { expectedRevision: 'any' })])
    assert.equal((await store.get(key('a')))?.revision, 2)
  })

  check('a claim belongs to one living document of an organization', async (store) => {
    await store.commit([put('a', { claims: ['id:1', 'id:2', 'id:1'] })])
    await assert.rejects(
      store.commit([put('x'), put('b', { claims: ['id:2'] })]),
      conflictOn('id:2', 'b'),
    )
    assert.equal(await store.get(key('x')), undefined)
    await store.commit([put('b', { orgUid: 'other', claims: ['id:2'] })])
    await store.commit([put('a', { expectedRevision: 1, claims: ['id:1'] })])
    await store.commit([put('b', { claims: ['id:2'] })])
    assert.equal((await store.findByClaim('org', 'id:2'))?.uid, 'b')
    assert.equal((await store.findByClaim('other', 'id:2'))?.orgUid, 'other')
    await store.commit([remove('a')])
    await store.commit([put('c', { claims: ['id:1'] })])
    assert.equal((await store.findByClaim('org', 'id:1'))?.uid, 'c')
  })

  check('two documents may swap their claims in one commit', async (store) => {
    await store.commit([put('a', { claims: ['id:1'] }), put('b', { claims: ['id:2'] })])
    await store.commit([
      put('a', { expectedRevision: 1, claims: ['id:2'] }),
      put('b', { expectedRevision: 1, claims: ['id:1'] }),
    ])
    assert.equal((await store.findByClaim('org', 'id:1'))?.uid, 'b')
    assert.equal((await store.findByClaim('org', 'id:2'))?.uid, 'a')
  })

  check('of commits that race for one claim exactly one wins', async (store) => {
    const racers = Array.from({ length: 50 }, (_, index) =>
      store.commit([put(`side${index}`), put(`r${index}`, { claims: ['id:only'] })]),
    )
    const outcomes = await Promise.allSettled(racers)
    const winner = outcomes.findIndex(({ status }) => status === 'fulfilled')
    for (const [index, outcome] of outcomes.entries()) {
      if (index === winner) continue
      assert.equal(outcome.status, 'rejected')
      assert.ok(conflictOn('id:only', `r${index}`)((outcome as PromiseRejectedResult).reason))
      assert.equal(await store.get(key(`side${index}`)), undefined)
    }
    assert.equal((await store.findByClaim('org', 'id:only'))?.uid, `r${winner}`)
    assert.notEqual(await store.get(key(`side${winner}`)), undefined)
  })

  check('of updates that race with one revision exactly one wins', async (store) => {
    await store.commit([put('a')])
    const racers = Array.from({ length: 30 }, (_, index) =>
      store.commit([put('a', { expectedRevision: 1, body: { index } })]),
    )
    const outcomes = await Promise.allSettled(racers)
    const won = outcomes.flatMap((one, index) => (one.status === 'fulfilled' ? [index] : []))
    assert.equal(won.length, 1)
    assert.deepEqual((await store.get(key('a')))?.body, { index: won[0] })
  })
}

function listCases(check: Check): void {
  check('list() pages in the order of listKey, then UID, both ways', async (store) => {
    const keys = ['b', 'a', 'a', 'ab', 'ä', '\u{1F600}', '\uFF5E']
    await store.commit(keys.map((listKey, index) => put(`u${index}`, { listKey })))
    const order = ['u1', 'u2', 'u3', 'u0', 'u4', 'u6', 'u5']
    const page = async (start: number, limit: number, descending?: boolean) => {
      const found = await store.list({ ...key(''), start, limit, descending })
      assert.equal(found.totalCount, keys.length)
      return found.documents.map(({ uid }) => uid)
    }
    assert.deepEqual(await page(0, 100), order)
    assert.deepEqual(await page(2, 3), order.slice(2, 5))
    assert.deepEqual(await page(1, 3, true), order.toReversed().slice(1, 4))
    assert.deepEqual(await page(7, 3), [])
    assert.deepEqual(await page(0, 0), [])
  })

  check('list() keeps to the organization, the kind, the parent and the prefix', async (store) => {
    await store.commit([
      put('a', { listKey: '/x/1' }),
      put('b', { listKey: '/x/2', parentUid: 'p' }),
      put('c', { listKey: '/xy', parentUid: 'p' }),
      put('d', { listKey: '/x/1', kind: 'unit' }),
      put('e', { listKey: '/x/1', orgUid: 'other', parentUid: 'p' }),
      put('f', { listKey: '/x/\u{10ffff}z' }),
      put('g', { listKey: '/x0' }),
    ])
    const uids = async (more: object) => {
      const found = await store.list({ ...key(''), start: 0, limit: 9, ...more })
      assert.equal(found.totalCount, found.documents.length)
      return found.documents.map(({ uid }) => uid).join()
    }
    assert.equal(await uids({}), 'a,b,f,g,c')
    assert.equal(await uids({ parentUid: 'p' }), 'b,c')
    assert.equal(await uids({ parentUid: '' }), 'a,f,g')
    assert.equal(await uids({ listKeyPrefix: '/x/' }), 'a,b,f')
    assert.equal(await uids({ listKeyPrefix: '/x/\u{10ffff}' }), 'f')
    assert.equal(await uids({ listKeyPrefix: '/x/', parentUid: 'p' }), 'b')
    assert.equal(await uids({ listKeyPrefix: '%' }), '')
    assert.equal(await uids({ kind: 'nothing' }), '')
    assert.equal(await uids({ orgUid: 'nobody' }), '')
  })

  check('list() leaves out and does not count what is over, when asked to', async (store) => {
    await store.commit([
      put('a', { expiresAtMs: 100, listKey: 'x' }),
      put('b', { expiresAtMs: 101, listKey: 'x' }),
      put('c', { listKey: 'y' }),
    ])
    const uids = async (more: object) => {
      const found = await store.list({ ...key(''), start: 0, limit: 9, ...more })
      assert.equal(found.totalCount, found.documents.length)
      return found.documents.map(({ uid }) => uid).join()
    }
    assert.equal(await uids({}), 'a,b,c')
    assert.equal(await uids({ aliveAtMs: 100 }), 'b,c')
    assert.equal(await uids({ aliveAtMs: 100, listKeyPrefix: 'x' }), 'b')
    assert.equal(await uids({ aliveAtMs: 101 }), 'c')
    const second = await store.list({ ...key(''), aliveAtMs: 100, start: 1, limit: 1 })
    assert.deepEqual([second.documents[0].uid, second.totalCount], ['c', 2])
  })
}

function cacheCases(check: Check): void {
  check('changesSince() tells each committed change once, in order', async (store) => {
    assert.deepEqual(await store.changesSince(0, 10), { changes: [], cursor: 0 })
    await store.commit([put('a'), put('b', { parentUid: 'a' })])
    await assert.rejects(store.commit([put('c'), put('a')]))
    await store.commit([remove('b'), remove('nothing')])
    const first = await store.changesSince(0, 2)
    const rest = await store.changesSince(first.cursor, 10)
    assert.deepEqual(
      [...first.changes, ...rest.changes].map((one) => [one.uid, one.parentUid, one.isDeleted]),
      [
        ['a', '', false],
        ['b', 'a', false],
        ['b', 'a', true],
      ],
    )
    assert.deepEqual(await store.changesSince(rest.cursor, 10), {
      changes: [],
      cursor: rest.cursor,
    })
    const cursors = [...first.changes, ...rest.changes].map(({ cursor }) => cursor)
    assert.ok(cursors.every((cursor, index) => index === 0 || cursor === cursors[index - 1] + 1))
  })
}
