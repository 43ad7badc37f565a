import assert from 'node:assert/strict'
import { countedUidOf, newComponentUid, newOrderedUid } from '../../src/base/index.ts'
import {
  CatalogConflict,
  type CatalogStore,
  type CatalogWrite,
  type StoredComponent,
  type StoredStream,
} from '../../src/store/index.ts'
import {
  componentFields,
  createOf,
  putComponent,
  putStream,
  streamFields,
} from './catalog-components.ts'
import { conflictOn, usageOf } from './catalog-outcomes.ts'
import { scanAll, scannedStreamOf } from './catalog-scanned.ts'
import type { CatalogStoreHome } from './catalog-store-home.ts'

type Case = (store: CatalogStore, home: CatalogStoreHome) => Promise<void>
type Check = (name: string, run: Case) => void

/** The promises about components and streams that are there: changes, unique texts, and handles. */
export function componentCases(check: Check): void {
  changeCases(check)
  uniqueCases(check)
  handleCases(check)
}

function changeCases(check: Check): void {
  check('components and streams are added, changed, and deleted', async (store, home) => {
    const [uid, own] = [newComponentUid(), newOrderedUid()]
    const fields = componentFields('a', { folder: '/x', lastOrdinal: 3, more: { n: 1 } })
    const first = await store.commit([putComponent(uid, fields)])
    const component: StoredComponent = {
      kind: 'component',
      orgUid: 'org',
      uid,
      revision: 1,
      ...fields,
    }
    assert.deepEqual(first, { records: [component], firstHandles: [] })
    const counted = countedUidOf(uid, 7)
    const [one, other] = [
      streamFields('s', { order: 5 }),
      streamFields('', { name: 'n', order: 2 }),
    ]
    const added = await store.commit([
      putStream(counted, { ...one, componentUid: uid }),
      putStream(own, { ...other, componentUid: uid }),
    ])
    const [s, t] = added.records as StoredStream[]
    const rest = { kind: 'stream', orgUid: 'org', componentUid: uid, revision: 1 } as const
    assert.deepEqual(s, { ...rest, uid: counted, handle: s.handle, ...one })
    assert.deepEqual(t, { ...rest, uid: own, handle: t.handle, ...other })
    assert.notEqual(s.handle, t.handle)
    assert.deepEqual(await store.components.streamsOf('org', uid, { start: 0, limit: 9 }), [t, s])
    const labelled = streamFields('s2', { labels: { l: '1' }, series: { l: '1' }, isDerived: true })
    const changed = await store.commit([
      putStream(counted, { ...labelled, componentUid: uid }, { expectedRevision: 1 }),
      putComponent(uid, componentFields('', { name: 'only a name' }), { expectedRevision: 'any' }),
    ])
    assert.deepEqual(changed.records[0], {
      ...rest,
      uid: counted,
      handle: s.handle,
      revision: 2,
      ...labelled,
    })
    assert.equal(changed.records[1].revision, 2)
    assert.equal(await store.components.findById('org', 'a'), undefined)
    await store.close()
    const again = await home.open()
    assert.deepEqual(await again.components.getStream('org', counted), changed.records[0])
    assert.deepEqual(await again.components.getStream('org', own), t)
    assert.deepEqual(await again.components.get('org', uid), changed.records[1])
    const scanned = await scanAll(again)
    assert.deepEqual(scanned.streams.get(own), scannedStreamOf(t))
    await again.commit([remove('stream', own), remove('stream', counted), remove('component', uid)])
    assert.equal(await again.components.getStream('org', own), undefined)
    assert.equal(await again.components.get('org', uid), undefined)
    assert.equal((await again.components.findSeries('org', [{ l: '1' }]))[0], undefined)
    for (const kind of ['component', 'stream']) {
      assert.deepEqual(await usageOf(again, kind), { documents: 0, bytes: 0 })
    }
    const { changes } = await again.changesSince(0, 100)
    assert.deepEqual(
      changes.map((change) => [change.kind, change.uid, change.parentUid, change.isDeleted]),
      [
        ['component', uid, '', false],
        ['stream', counted, uid, false],
        ['stream', own, uid, false],
        ['stream', counted, uid, false],
        ['component', uid, '', false],
        ['stream', own, uid, true],
        ['stream', counted, uid, true],
        ['component', uid, '', true],
      ],
    )
    assert.ok(changes.every(({ streamCount }) => streamCount === undefined))
    await again.close()
  })

  check(
    'what is expected of components and streams decides over all of a commit',
    async (store) => {
      const create = createOf([['a', ['s']]])
      await store.commit([create])
      const [uid, streamUid] = [create.uid, countedUidOf(create.uid, 1)]
      const other = newComponentUid()
      const nobody = countedUidOf(other, 1)
      const stream = { ...streamFields('s'), componentUid: uid }
      const refused = async (write: CatalogWrite, at: string) => {
        const [side] = [createOf([['side', ['s']]])]
        await assert.rejects(store.commit([side, write]), conflictOn(undefined, at))
        assert.equal(await store.components.findById('org', 'side'), undefined)
      }
      await refused(expect('component', uid, 2), uid)
      await refused(expect('component', uid, 0), uid)
      await refused(expect('component', other, 'any'), other)
      await refused(expect('component', other, 1), other)
      await refused(expect('stream', streamUid, 0), streamUid)
      await refused(expect('stream', streamUid, 3), streamUid)
      await refused(expect('stream', nobody, 'any'), nobody)
      await refused(putComponent(uid, componentFields('a')), uid)
      await refused(putComponent(uid, componentFields('a'), { expectedRevision: 2 }), uid)
      await refused(putComponent(other, componentFields('b'), { expectedRevision: 1 }), other)
      await refused(putStream(streamUid, stream), streamUid)
      await refused(putStream(streamUid, stream, { expectedRevision: 9 }), streamUid)
      await refused(putStream(nobody, { ...stream, componentUid: other }), other)
      await refused(remove('stream', streamUid, 2), streamUid)
      await refused(remove('component', uid, 2), uid)
      await refused(remove('component', other, 1), other)
      await store.commit([
        expect('component', uid, 1),
        expect('component', uid, 'any'),
        expect('stream', streamUid, 1),
        expect('stream', nobody, 0),
        remove('stream', nobody),
        remove('component', other),
        createOf([['side', []]]),
      ])
      assert.equal((await usageOf(store, 'component')).documents, 2)
    },
  )

  check('a component with streams is deleted only behind them', async (store) => {
    const create = createOf([['a', ['s', 't']]])
    await store.commit([create])
    const [uid, s, t] = [create.uid, countedUidOf(create.uid, 1), countedUidOf(create.uid, 2)]
    await assert.rejects(store.commit([remove('component', uid)]), conflictOn(undefined, uid))
    const oneLeft = [remove('stream', s), remove('component', uid)]
    await assert.rejects(store.commit(oneLeft), conflictOn(undefined, uid))
    const tooEarly = [remove('stream', s), remove('component', uid), remove('stream', t)]
    await assert.rejects(store.commit(tooEarly), conflictOn(undefined, uid))
    assert.equal((await usageOf(store, 'stream')).documents, 2)
    await store.commit([remove('stream', t), remove('stream', s), remove('component', uid)])
    assert.equal(await store.components.get('org', uid), undefined)
    assert.equal((await scanAll(store)).streams.size, 0)
    await store.commit([createOf([['a', ['s']]])])
  })

  check('records of another store keep their revisions', async (store) => {
    const uid = newComponentUid()
    const streamUid = newOrderedUid()
    const stream = { ...streamFields('s'), componentUid: uid }
    const { records } = await store.commit([
      putComponent(uid, componentFields('a'), { revision: 7 }),
      putStream(streamUid, stream, { revision: 4 }),
    ])
    assert.deepEqual(
      records.map(({ revision }) => revision),
      [7, 4],
    )
    const update = putStream(streamUid, stream, { expectedRevision: 4 })
    assert.equal((await store.commit([update])).records[0].revision, 5)
    assert.equal((await store.components.get('org', uid))?.revision, 7)
  })

  check('a UID of a component of another organization is not free', async (store) => {
    const create = createOf([['a', ['s']]])
    await store.commit([create])
    const mine = putComponent(create.uid, componentFields('a'), { orgUid: 'other' })
    await assert.rejects(store.commit([mine]), conflictOn(undefined, create.uid))
    await store.commit([{ ...remove('component', create.uid), orgUid: 'other' }])
    assert.equal((await store.components.get('org', create.uid))?.revision, 1)
  })
}

function uniqueCases(check: Check): void {
  check('IDs that only case, width, or composition tells apart are different', async (store) => {
    const ids = ['a', 'A', 'ａ', 'é', 'e\u0301', 'ss', 'ß', 'i', 'İ', 'ı', 'a ', ' a', 'a\u0000']
    const create = createOf(ids.map((id) => [id, ids] as const))
    await store.commit([create])
    for (const [at, id] of ids.entries()) {
      assert.equal((await store.components.findById('org', id))?.uid, create.uids[at])
    }
  })

  check('two components may swap their IDs and addresses in one commit', async (store) => {
    const create = createOf(
      [
        ['a', ['s']],
        ['b', ['s']],
      ],
      { addressedAs: [['1'], ['2']] },
    )
    await store.commit([create])
    const [a, b] = create.uids
    await store.commit([
      putComponent(a, componentFields('b', { addressedAs: ['2', '3'] }), { expectedRevision: 1 }),
      putComponent(b, componentFields('a', { addressedAs: ['1'] }), { expectedRevision: 1 }),
    ])
    assert.equal((await store.components.findById('org', 'a'))?.uid, b)
    assert.equal((await store.components.findById('org', 'b'))?.uid, a)
    assert.equal((await store.components.findAddressed('org', ['1']))[0]?.uid, b)
    assert.equal((await store.components.findAddressed('org', ['2']))[0]?.uid, a)
    assert.equal((await store.components.findAddressed('org', ['3']))[0]?.uid, a)
    const taking = putComponent(b, componentFields('b'), { expectedRevision: 2 })
    await assert.rejects(store.commit([taking]), conflictOn('component_id:b', b))
    const addressing = putComponent(b, componentFields('a', { addressedAs: ['3'] }))
    await assert.rejects(
      store.commit([{ ...addressing, expectedRevision: 2 }]),
      conflictOn('addressed_as:3', b),
    )
  })

  check('an address that is the ID of its component is nobody else', async (store) => {
    const create = createOf([['a', ['s']]], { addressedAs: [['a', 'more']] })
    await store.commit([create])
    const found = async (address: string) =>
      (await store.components.findAddressed('org', [address]))[0]?.uid
    assert.equal(await found('a'), create.uid)
    assert.equal(await found('more'), create.uid)
    assert.deepEqual((await store.components.get('org', create.uid))?.addressedAs, ['a', 'more'])
    const claiming = createOf([['b', []]], { addressedAs: [['b', 'a']] })
    await assert.rejects(store.commit([claiming]), conflictOn('addressed_as:a', claiming.uid))
    // Renamed, it keeps the address, and the next component of the ID does not get it.
    const rename = componentFields('renamed', { addressedAs: ['a'] })
    await store.commit([putComponent(create.uid, rename, { expectedRevision: 1 })])
    assert.equal(await found('a'), create.uid)
    assert.equal(await found('renamed'), undefined)
    const again = createOf([['a', []]], { addressedAs: [['a']] })
    await assert.rejects(store.commit([again]), conflictOn('addressed_as:a', again.uid))
    await store.commit([createOf([['a', []]])])
    assert.equal(await found('a'), create.uid)
    // What the other lets go of in the same commit is free.
    const free = componentFields('renamed')
    const taken = createOf([['c', []]], { addressedAs: [['c', 'a']] })
    await store.commit([taken, putComponent(create.uid, free, { expectedRevision: 2 })])
    assert.equal(await found('a'), taken.uid)
    await store.commit([remove('component', taken.uid)])
    assert.equal(await found('a'), undefined)
    assert.equal(await found('c'), undefined)
  })

  check('what a deleted record had is free in the same commit', async (store) => {
    const create = createOf([['a', ['s']]], { addressedAs: [['1']], series: [{ job: 'j' }] })
    await store.commit([create])
    const uid = newComponentUid()
    const fields = { ...streamFields('s', { series: { job: 'j' } }), componentUid: uid }
    await store.commit([
      putComponent(uid, componentFields('a', { addressedAs: ['1'] })),
      putStream(countedUidOf(uid, 1), fields),
      remove('stream', countedUidOf(create.uid, 1)),
      remove('component', create.uid),
    ])
    assert.equal((await store.components.findById('org', 'a'))?.uid, uid)
    assert.equal((await store.components.findAddressed('org', ['1']))[0]?.uid, uid)
    assert.equal((await store.components.findSeries('org', [{ job: 'j' }]))[0]?.componentUid, uid)
  })

  check('streams of a component may swap IDs and series, and share none', async (store) => {
    const create = createOf([['a', ['s', 't', '', '']]], {
      series: [{ n: '1' }, { n: '2' }, undefined, undefined],
    })
    await store.commit([create])
    const [s, t, u] = [1, 2, 3].map((ordinal) => countedUidOf(create.uid, ordinal))
    const put = (uid: string, id: string, n: string, expectedRevision: number) =>
      putStream(
        uid,
        { ...streamFields(id, { series: { n } }), componentUid: create.uid },
        { expectedRevision },
      )
    await store.commit([put(s, 't', '2', 1), put(t, 's', '1', 1)])
    const ids = await store.components.streamsOf('org', create.uid, { start: 0, limit: 9 })
    assert.deepEqual(
      ids.map(({ uid, id }) => [uid, id]).sort(),
      [
        [s, 't'],
        [t, 's'],
        [u, ''],
        [countedUidOf(create.uid, 4), ''],
      ].sort(),
    )
    assert.equal((await store.components.findSeries('org', [{ n: '2' }]))[0]?.uid, s)
    const claim = `stream_id:${create.uid}:s`
    await assert.rejects(store.commit([put(s, 's', '2', 2)]), conflictOn(claim, s))
    await assert.rejects(store.commit([put(u, 's', '3', 1)]), conflictOn(claim, u))
    await assert.rejects(store.commit([put(u, 'u', '1', 1)]), conflictOn('series:[["n","1"]]', u))
    const other = createOf([['b', ['s', 't']]])
    await store.commit([other])
    // The series of another organization is its own.
    await store.commit([createOf([['a', ['s']]], { orgUid: 'other', series: [{ n: '1' }] })])
  })
}

function handleCases(check: Check): void {
  check('handles stay with their streams and never come back', async (store, home) => {
    const create = createOf([['a', ['s', 't']]])
    const seen = new Set<number>()
    const note = (handles: readonly number[]) => {
      for (const handle of handles) {
        assert.ok(Number.isInteger(handle) && handle > 0 && !seen.has(handle), String(handle))
        seen.add(handle)
      }
    }
    const first = (await store.commit([create])).firstHandles[0]
    note([first, first + 1])
    await assert.rejects(store.commit([createOf([['a', ['s', 't', 'u']]])]), CatalogConflict)
    const uid = countedUidOf(create.uid, 2)
    const fields = { ...streamFields('t'), componentUid: create.uid }
    const { records } = await store.commit([putStream(uid, fields, { expectedRevision: 1 })])
    assert.equal((records[0] as StoredStream).handle, first + 1)
    await store.commit([remove('stream', uid)])
    await store.close()
    const again = await home.open()
    const [back] = (await again.commit([putStream(uid, fields)])).records as StoredStream[]
    note([back.handle])
    const many = await Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        again.commit([createOf([[`d${at}`, ['s', 't', 'u']]]), createOf([[`e${at}`, ['s']]])]),
      ),
    )
    for (const { firstHandles } of many) {
      note([firstHandles[0], firstHandles[0] + 1, firstHandles[0] + 2, firstHandles[1]])
    }
    const none = await again.commit([createOf([['empty', []]]), createOf([['one', ['s']]])])
    assert.equal(none.firstHandles[0], 0)
    note([none.firstHandles[1]])
    const scanned = [...(await scanAll(again)).streams.values()].map(({ handle }) => handle)
    assert.deepEqual(new Set(scanned), new Set([...seen].filter((handle) => handle !== first + 1)))
    await again.close()
  })
}

function expect(kind: string, uid: string, expectedRevision: number | 'any'): CatalogWrite {
  return { op: 'expect', orgUid: 'org', kind, uid, expectedRevision }
}

function remove(kind: string, uid: string, expectedRevision: number | 'any' = 'any') {
  return { op: 'delete' as const, orgUid: 'org', kind, uid, expectedRevision }
}
