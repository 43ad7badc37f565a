import assert from 'node:assert/strict'
import { countedUidOf, newComponentUid, newOrderedUid } from '../../src/base/index.ts'
import type {
  CatalogStore,
  ComponentList,
  PutComponent,
  StoredComponent,
} from '../../src/store/index.ts'
import {
  componentFields,
  createOf,
  putComponent,
  putStream,
  streamFields,
} from './catalog-components.ts'
import { scanAll, scannedComponentOf } from './catalog-scanned.ts'
import { compareUtf8 } from './catalog-store-model.ts'

type Case = (store: CatalogStore) => Promise<void>

/** The promises about lists, walks, and scans of components and streams. */
export function componentListCases(check: (name: string, run: Case) => void): void {
  check('components are listed by folder, then by name, then as they were made', async (store) => {
    const long = 'n'.repeat(100)
    const places: readonly (readonly [folder: string, name: string])[] = [
      ['', 'b'],
      ['/a', 'z'],
      ['', 'a'],
      ['/a/b', 'y'],
      ['/a b', 'x'],
      ['', 'a'],
      ['', 'ä'],
      ['', '\u{1F600}'],
      ['', '\uFF5E'],
      ['', ''],
      ['/a', `${long}2`],
      ['/a', `${long}1`],
      ['/a', long.slice(1)],
      ['/A', 'a'],
      ['/ä', 'a'],
    ]
    const puts = places.map(([folder, name]) =>
      putComponent(newComponentUid(), componentFields('', { folder, name })),
    )
    await store.commit(puts.slice(0, 6))
    await store.commit(puts.slice(6))
    // Names that are alike in their first hundred characters come as they were made.
    const keyOf = ({ folder, name }: PutComponent) => [`${folder}/`, name.slice(0, 100)]
    const order = puts.toSorted((a, b) => {
      const [[folder, name], [otherFolder, otherName]] = [keyOf(a), keyOf(b)]
      return compareUtf8(folder, otherFolder) || compareUtf8(name, otherName)
    })
    const uids = order.map(({ uid }) => uid)
    assert.deepEqual(await pageOf(store, {}), { uids, totalCount: puts.length })
    for (const [start, limit] of [
      [0, 4],
      [4, 5],
      [13, 9],
      [15, 1],
      [3, 0],
    ]) {
      const part = uids.slice(start, start + limit)
      assert.deepEqual(await pageOf(store, { start, limit }), {
        uids: part,
        totalCount: puts.length,
      })
    }
    const { components } = await store.components.list({ orgUid: 'org', start: 0, limit: 100 })
    for (const [at, component] of components.entries()) {
      assert.deepEqual(component, await store.components.get('org', uids[at]))
    }
    assert.deepEqual(await walkOver(store, 2), uids)
  })

  check('a list keeps to a folder, with or without those below it', async (store) => {
    const long = `/${'f'.repeat(700)}`
    const folders = [
      '',
      '/a',
      '/a',
      '/a/b',
      '/a/b/c',
      '/ab',
      '/a b',
      '/A',
      long,
      `${long}/x`,
      `${long}y`,
    ]
    const puts = folders.map((folder) =>
      putComponent(newComponentUid(), componentFields('', { folder, name: folder })),
    )
    await store.commit(puts)
    await store.commit([
      putComponent(newComponentUid(), componentFields('', { folder: '/a' }), { orgUid: 'other' }),
    ])
    const inFolders = async (
      wanted: (folder: string) => boolean,
      query: Partial<ComponentList>,
    ) => {
      const { uids, totalCount } = await pageOf(store, query)
      const expected = puts.filter(({ folder }) => wanted(folder)).map(({ uid }) => uid)
      assert.deepEqual(uids.toSorted(), expected.toSorted(), JSON.stringify(query))
      assert.equal(totalCount, expected.length)
    }
    await inFolders(() => true, {})
    await inFolders(() => true, { folder: '' })
    for (const folder of [...new Set(folders), '/nothing', '/a/']) {
      await inFolders((one) => one === folder, { folder, isDirect: true })
      await inFolders((one) => `${one}/`.startsWith(`${folder}/`), { folder })
      await inFolders((one) => `${one}/`.startsWith(`${folder}/`), { folder, isDirect: false })
    }
    assert.deepEqual(await pageOf(store, { orgUid: 'nobody' }), { uids: [], totalCount: 0 })
    const some = puts.slice(0, 4).map(({ uid }) => uid)
    const exceptUids = [...some, newComponentUid(), 'no UID']
    await inFolders((one) => !['', '/a', '/a/b'].includes(one), { exceptUids })
    await inFolders((one) => one === '/a/b/c', { exceptUids, folder: '/a' })
    const page = await pageOf(store, {
      exceptUids,
      folder: '/a',
      isDirect: true,
      start: 0,
      limit: 1,
    })
    assert.deepEqual(page, { uids: [], totalCount: 0 })
  })

  check('a component that moves or gets another name is listed in its new place', async (store) => {
    const create = createOf([
      ['a', []],
      ['b', []],
      ['c', []],
    ])
    await store.commit([create])
    const [a, b, c] = create.uids
    assert.deepEqual((await pageOf(store, {})).uids, [a, b, c])
    const moved = componentFields('a', { folder: '/x' })
    await store.commit([
      putComponent(a, moved, { expectedRevision: 1 }),
      putComponent(b, componentFields('b', { name: 'd' }), { expectedRevision: 1 }),
    ])
    assert.deepEqual((await pageOf(store, {})).uids, [c, b, a])
    assert.deepEqual(await pageOf(store, { folder: '/x', isDirect: true }), {
      uids: [a],
      totalCount: 1,
    })
  })

  check(
    'a walk goes on behind what it had, whatever is made and deleted meanwhile',
    async (store) => {
      const names = ['b', 'a', 'a', 'a', 'a', 'ä', '\u{1F600}']
      const puts = names.map((name) =>
        putComponent(newComponentUid(), componentFields('', { name })),
      )
      await store.commit(puts)
      await store.commit([createOf([['stranger', []]], { orgUid: 'other' })])
      const first = await store.components.walk({ orgUid: 'org', limit: 3 })
      const seen = first.components.map(({ uid }) => uid)
      assert.equal(seen.length, 3)
      const made = putComponent(newComponentUid(), componentFields('', { name: 'c' }))
      const key = { orgUid: 'org', kind: 'component', uid: seen[0] }
      await store.commit([{ op: 'delete', ...key, expectedRevision: 'any' }, made])
      for (let { next } = first; next !== undefined; ) {
        const more = await store.components.walk({ orgUid: 'org', after: next, limit: 3 })
        seen.push(...more.components.map(({ uid }) => uid))
        next = more.next
      }
      const all = [...puts, made].map(({ uid }) => uid)
      assert.deepEqual(seen.toSorted(), all.toSorted())
      const none = await store.components.walk({ orgUid: 'nobody', limit: 3 })
      assert.deepEqual(none, { components: [] })
    },
  )

  check('streams of a component come in definition order, some at a time', async (store) => {
    const create = createOf([
      ['a', Array.from({ length: 25 }, (_, at) => `s${at}`)],
      ['b', ['s']],
    ])
    await store.commit([create])
    const { uid } = create
    // One moves to the end, two more share a place, one of them with a UID of its own.
    const own = newOrderedUid()
    const put = (streamUid: string, id: string, order: number, expectedRevision: number) =>
      putStream(
        streamUid,
        { ...streamFields(id, { order }), componentUid: uid },
        { expectedRevision },
      )
    await store.commit([
      put(countedUidOf(uid, 1), 's0', 100, 1),
      put(countedUidOf(uid, 26), 'x', 50, 0),
      put(own, 'y', 50, 0),
    ])
    const shared = [countedUidOf(uid, 26), own].sort()
    const counted = Array.from({ length: 24 }, (_, at) => countedUidOf(uid, at + 2))
    const expected = [...counted, ...shared, countedUidOf(uid, 1)]
    const seen: string[] = []
    for (let start = 0; start < 40; start += 10) {
      const page = await store.components.streamsOf('org', uid, { start, limit: 10 })
      seen.push(...page.map((stream) => stream.uid))
    }
    assert.deepEqual(seen, expected)
    assert.deepEqual(await store.components.streamsOf('other', uid, { start: 0, limit: 9 }), [])
    assert.deepEqual(await store.components.streamsOf('org', own, { start: 0, limit: 9 }), [])
  })

  check('a walk over labels finds each stream that has labels or a look-back', async (store) => {
    const plain = createOf(Array.from({ length: 450 }, (_, at) => [`p${at}`, ['s']] as const))
    const other = createOf([['o', ['s']]], { orgUid: 'other', labels: [{ of: 'another' }] })
    const create = createOf([['a', ['s0', 's1', 's2', 's3']]], {
      labels: [{ site: 'north' }, undefined, { site: 'south', __name__: 'x' }, undefined],
    })
    await store.commit([plain, other])
    await store.commit([create])
    const fields = streamFields('s3', { order: 3, more: { lookbackMs: 60_000 } })
    const uids = [1, 2, 3, 4].map((ordinal) => countedUidOf(create.uid, ordinal))
    const put = putStream(uids[3], { ...fields, componentUid: create.uid }, { expectedRevision: 1 })
    await store.commit([put])
    for (const limit of [1, 2, 100]) {
      const seen = new Map<string, unknown>()
      let after: string | undefined
      do {
        const page = await store.components.walkLabeled({ orgUid: 'org', after, limit })
        assert.ok(page.streams.length <= limit)
        for (const { uid, labels, more } of page.streams) seen.set(uid, labels ?? more)
        after = page.next
      } while (after !== undefined)
      const expected = [
        [uids[0], { site: 'north' }],
        [uids[2], { site: 'south', __name__: 'x' }],
        [uids[3], { lookbackMs: 60_000 }],
      ]
      assert.deepEqual(
        [...seen].sort(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
        expected,
      )
    }
    assert.deepEqual(await store.components.walkLabeled({ orgUid: 'nobody', limit: 3 }), {
      streams: [],
    })
  })

  check('a scan hands out all organizations as the reads tell them, at any size', async (store) => {
    const each = Array.from(
      { length: 2_500 },
      (_, at) => [`d${at}`, ['s', 't'].slice(at % 3)] as const,
    )
    const other = createOf([['d1', ['s']]], { orgUid: 'other' })
    await store.commit([createOf(each), other])
    const { components, streams, cursor } = await scanAll(store)
    assert.equal(components.size, 2_501)
    assert.equal(
      streams.size,
      each.reduce((count, [, ids]) => count + ids.length, 1),
    )
    assert.equal(cursor, (await store.changesSince(0, 10_000)).cursor)
    const found = (await store.components.get('other', other.uid)) as StoredComponent
    assert.deepEqual(components.get(other.uid), scannedComponentOf(found))
  })
}

async function pageOf(store: CatalogStore, query: Partial<ComponentList>) {
  const found = await store.components.list({ orgUid: 'org', start: 0, limit: 100, ...query })
  return { uids: found.components.map(({ uid }) => uid), totalCount: found.totalCount }
}

async function walkOver(store: CatalogStore, limit: number): Promise<string[]> {
  const uids: string[] = []
  let after: string | undefined
  do {
    const { components, next } = await store.components.walk({ orgUid: 'org', after, limit })
    assert.ok(components.length <= limit)
    uids.push(...components.map(({ uid }) => uid))
    after = next
  } while (after !== undefined)
  return uids
}
