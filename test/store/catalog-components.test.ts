/** Components and streams in the tables of catalog.db: odd texts, many at once, conflicts, limits, restarts. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { countedUidOf, newComponentUid, newUid } from '../../src/base/index.ts'
import { openCatalogStore } from '../../src/store/embedded/index.ts'
import {
  CatalogConflict,
  CatalogLimitReached,
  type CatalogStore,
  type CreateComponents,
  type StoredComponent,
} from '../../src/store/index.ts'
import {
  componentFields,
  createOf,
  putComponent,
  putStream,
  streamFields,
} from '../contract/catalog-components.ts'
import { scanAll } from '../contract/catalog-scanned.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const root = temporaryFolder()

/** Runs a test on a store, and at its end reads all of it back, before and after a restart. */
async function withStore(
  name: string,
  body: (store: CatalogStore, restart: () => Promise<CatalogStore>) => Promise<void>,
): Promise<void> {
  const folder = join(root, name)
  const reported: string[] = []
  const open = () => openCatalogStore({ folder, onDamage: (what) => reported.push(what) })
  let store = await open()
  const restart = async (): Promise<CatalogStore> => {
    await store.checkNow()
    await store.close()
    store = await open()
    return store
  }
  try {
    await body(store, restart)
    await restart()
  } finally {
    await store.close()
  }
  assert.deepEqual(reported, [])
}

/** The store, and what a restart makes of it. */
async function* beforeAndAfter(
  store: CatalogStore,
  restart: () => Promise<CatalogStore>,
): AsyncGenerator<CatalogStore> {
  yield store
  yield await restart()
}

async function listAll(store: CatalogStore, folder?: string): Promise<StoredComponent[]> {
  const query = { orgUid: 'org', folder, start: 0, limit: 1_000_000 }
  const { components, totalCount } = await store.components.list(query)
  assert.equal(components.length, totalCount)
  return components
}

async function walkAll(store: CatalogStore, limit: number): Promise<StoredComponent[]> {
  const found: StoredComponent[] = []
  let after: string | undefined
  do {
    const step = await store.components.walk({ orgUid: 'org', after, limit })
    found.push(...step.components)
    after = step.next
  } while (after !== undefined)
  return found
}

function conflict(uid: string | undefined, claim: string | undefined): (error: unknown) => true {
  return (error) => {
    assert.ok(error instanceof CatalogConflict, String(error))
    assert.deepEqual([error.key.uid, error.claim], [uid, claim])
    return true
  }
}

const ODD_TEXTS = [
  'a',
  'A',
  'á',
  'a\u0301',
  ' a',
  'a ',
  '0',
  '-0',
  '%',
  '_',
  "'",
  '"',
  '\\',
  '/',
  '//',
  '=',
  '\0',
  'a\0',
  'a\0b',
  '\u0001',
  '\n',
  '\u2028',
  '\ufffd',
  '\ufeff',
  'null',
  '[]',
  '{"a":1}',
  'Ωμέγα',
  'датчик',
  'חיישן',
  'مستشعر',
  'सेंसर',
  '温度センサー',
  '온도',
  'ІІ',
  'İıßſ',
  '🌡️👩‍👩‍👧',
  'x'.repeat(512),
  'y'.repeat(511),
  '界'.repeat(512),
  '🌡'.repeat(512),
  '\0'.repeat(512),
]

test('IDs, names and folders of every script and length are kept, found and listed as they are', async () => {
  await withStore('texts', async (first, restart) => {
    const folders = ['', '/x', `/${'f'.repeat(1_023)}`, '/🌡', '/a\0b', '/%', '/a/b']
    const made: CreateComponents[] = folders.map((folder, at) => {
      // Each ID is in one folder; each name is in all.
      const ids = ODD_TEXTS.map((text) => (at === 0 ? text : ''))
      const each = ids.map((id): [string, string[]] => [id, at === 0 ? [id, ''] : []])
      const common = { ...createOf([]).common, folder }
      return createOf(each, { names: at === 0 ? undefined : ODD_TEXTS, common })
    })
    await first.commit(made)
    const taken = '界'.repeat(512)
    const again = createOf([[taken, []]])
    await assert.rejects(first.commit([again]), conflict(again.uid, `component_id:${taken}`))
    for await (const store of beforeAndAfter(first, restart)) {
      for (const [at, text] of ODD_TEXTS.entries()) {
        const found = await store.components.findById('org', text)
        assert.deepEqual([found?.uid, found?.id, found?.name], [made[0].uids[at], text, text])
        const page = { start: 0, limit: 9 }
        const streams = await store.components.streamsOf('org', made[0].uids[at], page)
        assert.deepEqual(
          streams.map(({ id }) => id),
          [text, ''],
        )
      }
      const all = await listAll(store)
      assert.equal(all.length, folders.length * ODD_TEXTS.length)
      assert.deepEqual(await walkAll(store, 7), all)
      for (const folder of folders) {
        const listed = await store.components.list({
          orgUid: 'org',
          folder,
          isDirect: true,
          start: 0,
          limit: 1_000,
        })
        const names = listed.components.map(({ name }) => name)
        assert.deepEqual(new Set(names), new Set(ODD_TEXTS), folder)
        assert.ok(listed.components.every((one) => one.folder === folder))
      }
      const { components, streams } = await scanAll(store)
      assert.equal(streams.size, 2 * ODD_TEXTS.length)
      for (const [at, text] of ODD_TEXTS.entries()) {
        assert.equal(components.get(made[0].uids[at])?.id, text)
        assert.equal(streams.get(countedUidOf(made[0].uids[at], 1))?.id, text)
      }
    }
  })
})

test('lists come in the order of folder, name and making, whatever order components are made in', async () => {
  await withStore('order', async (first, restart) => {
    const folders = ['', '/a', '/a/b', '/a-b', '/a b', '/a/b/c', '/b']
    const names = Array.from({ length: 40 }, (_, at) => `${'n'.repeat(101)}${(at * 7) % 40}`)
    names.push('', 'm', 'n', 'n'.repeat(100), 'm')
    for (const folder of folders.toReversed()) {
      const each = names.map((): [string, string[]] => ['', []])
      await first.commit([createOf(each, { names, common: { ...createOf([]).common, folder } })])
    }
    // In another organization nobody sees them.
    await first.commit([createOf([['other', []]], { orgUid: 'other' })])
    const keyOf = ({ folder, name }: StoredComponent) => [`${folder}/`, name.slice(0, 100)]
    for await (const store of beforeAndAfter(first, restart)) {
      const all = await listAll(store)
      const made = new Map(all.map(({ uid }) => [uid, uid]))
      const sorted = all.toSorted((a, b) => {
        const [ours, theirs] = [keyOf(a), keyOf(b)]
        if (a.folder === '' || b.folder === '') {
          if (a.folder !== b.folder) return a.folder === '' ? -1 : 1
        } else if (ours[0] !== theirs[0]) return ours[0] < theirs[0] ? -1 : 1
        if (ours[1] !== theirs[1]) return ours[1] < theirs[1] ? -1 : 1
        return a.uid < b.uid ? -1 : 1
      })
      assert.equal(made.size, folders.length * names.length)
      assert.deepEqual(all, sorted)
      for (const limit of [1, 2, 3, 44, 45, 46, 1_000]) {
        assert.deepEqual(await walkAll(store, limit), all, `${limit}`)
      }
      for (const folder of folders) {
        const isIn = (one: StoredComponent) =>
          folder === '' || one.folder === folder || one.folder.startsWith(`${folder}/`)
        assert.deepEqual(await listAll(store, folder), all.filter(isIn), folder)
      }
      const exceptUids = [all[0].uid, all[50].uid, newUid(), 'none']
      for (const start of [0, 49, 50, 300]) {
        const page = await store.components.list({ orgUid: 'org', exceptUids, start, limit: 20 })
        const rest = all.filter(({ uid }) => !exceptUids.includes(uid))
        assert.deepEqual(page.components, rest.slice(start, start + 20))
        assert.equal(page.totalCount, rest.length)
      }
    }
  })
})

test('halves of surrogate pairs are kept as the replacement character, and never twice', async () => {
  await withStore('halves', async (store) => {
    const create = createOf([['\ud800', ['\udc00']]], {
      labels: [{ '\ud800': '\udc00' }],
      series: [{ '\ud800': '\udc00' }],
      addressedAs: [['x:\ud800']],
    })
    await store.commit([create])
    const [found, same] = await Promise.all(
      ['\ud800', '\ufffd'].map((id) => store.components.findById('org', id)),
    )
    assert.deepEqual([found?.id, same], ['\ufffd', found])
    const [series] = await store.components.findSeries('org', [{ '\udbff': '\ufffd' }])
    assert.deepEqual([series?.id, series?.labels], ['\ufffd', { '\ufffd': '\ufffd' }])
    await assert.rejects(
      store.commit([createOf([['\udfff', []]])]),
      (error: unknown) => error instanceof CatalogConflict && error.claim !== undefined,
    )
    const twice = createOf([['twice', ['\ud800', '\ud801']]])
    await assert.rejects(
      store.commit([twice]),
      conflict(twice.uid, `stream_id:${twice.uid}:\ufffd`),
    )
    const { components } = await scanAll(store)
    assert.deepEqual(
      [...components.values()].map(({ id }) => id),
      ['\ufffd'],
    )
  })
})

test('labels and series have any names and texts', async () => {
  await withStore('labels', async (first, restart) => {
    const odd = Object.fromEntries(ODD_TEXTS.map((text, at) => [text, ODD_TEXTS.at(-at) ?? '']))
    const proto = JSON.parse('{"__proto__":"x","constructor":"y","hasOwnProperty":""}')
    const sets = [{}, { '': '' }, { a: '\0' }, { 'a\0': '' }, { a: '\0b' }, { 'a\0': 'b' }, proto]
    const all = [...sets, { '\0[]': '1' }, { b: '1', a: '2' }, odd]
    const create = createOf([['device', all.map((_, at) => `s${at}`)]], {
      labels: all,
      series: all.map((one, at) => (at % 2 === 0 ? one : { other: `${at}` })),
    })
    await first.commit([create])
    for await (const store of beforeAndAfter(first, restart)) {
      const page = { start: 0, limit: 100 }
      const streams = await store.components.streamsOf('org', create.uid, page)
      assert.deepEqual(
        streams.map(({ labels }) => Object.entries(labels ?? {}).sort()),
        all.map((labels) => Object.entries(labels).sort()),
      )
      for (const [at, series] of all.entries()) {
        const [found] = await store.components.findSeries('org', [series])
        assert.equal(found?.id, at % 2 === 0 ? `s${at}` : undefined)
        assert.deepEqual(await store.components.findSeries('other', [series]), [undefined])
      }
    }
  })
})

test('a hundred thousand components are made by one call, and a conflict in its middle leaves nothing', async () => {
  await withStore('many', async (first, restart) => {
    const count = 100_000
    const idOf = (at: number) => `device-${(at * 7_919) % count}`
    const each = Array.from({ length: count }, (_, at): [string, string[]] => [idOf(at), ['s']])
    await first.commit([createOf([[idOf(60_000), ['first']]])])
    const usage = await first.usage('org')
    const meets = createOf(each)
    await assert.rejects(
      first.commit([meets]),
      conflict(meets.uids[60_000], `component_id:${idOf(60_000)}`),
    )
    each[60_000] = [idOf(59_999), ['s']]
    const twice = createOf(each)
    await assert.rejects(
      first.commit([twice]),
      conflict(twice.uids[60_000], `component_id:${idOf(59_999)}`),
    )
    each[60_000] = ['free', ['s']]
    const limit = { orgUid: 'org', kinds: ['stream'], of: 'documents', max: 70_000 } as const
    const limited = first.commit([createOf(each)], undefined, [limit])
    await assert.rejects(limited, CatalogLimitReached)
    assert.deepEqual(await first.usage('org'), usage)
    assert.equal((await first.changesSince(0, 10)).changes.length, 1)
    const create = createOf(each)
    const { firstHandles } = await first.commit([create])
    assert.deepEqual(firstHandles, [2])
    for await (const store of beforeAndAfter(first, restart)) {
      const { components, streams } = await scanAll(store)
      assert.equal(components.size, count + 1)
      for (const [at, uid] of create.uids.entries()) {
        if (at % 1_000 === 0) assert.equal(components.get(uid)?.id, create.ids[at])
        assert.equal(streams.get(countedUidOf(uid, 1))?.handle, 2 + at)
      }
      const ids = [...create.ids, idOf(60_000)].sort()
      for (const start of [0, 50_000, 99_990]) {
        const page = await store.components.list({ orgUid: 'org', start, limit: 20 })
        assert.deepEqual(
          page.components.map(({ id }) => id),
          ids.slice(start, start + 20),
        )
        assert.equal(page.totalCount, count + 1)
      }
      const kinds = await store.usage('org')
      assert.deepEqual(
        kinds.map(({ kind, documents }) => [kind, documents]),
        [
          ['component', count + 1],
          ['stream', count + 1],
        ],
      )
    }
  })
})

test('whatever is unique is refused to a creation, which names the component that would have it twice', async () => {
  await withStore('taken', async (store) => {
    const there = createOf([['there', ['s']]], {
      addressedAs: [['x:1', 'x:2']],
      series: [{ a: '1' }],
    })
    await store.commit([there])
    const before = [await store.usage('org'), await store.changesSince(0, 100)]
    const refuse = async (
      more: Partial<CreateComponents>,
      claim: string | undefined,
      streams = ['s'],
    ) => {
      const create = createOf(
        [
          ['one', []],
          ['two', streams],
          ['three', []],
        ],
        more,
      )
      await assert.rejects(store.commit([create]), conflict(create.uids[1], claim))
      assert.deepEqual([await store.usage('org'), await store.changesSince(0, 100)], before)
    }
    await refuse({ ids: ['one', 'there', 'three'] }, 'component_id:there')
    await refuse({ ids: ['one', 'one', 'three'] }, 'component_id:one')
    await refuse({ uids: [newComponentUid(), there.uid, newComponentUid()] }, undefined)
    await refuse({ addressedAs: [['x:3'], ['x:4', 'x:2'], []] }, 'addressed_as:x:2')
    await refuse({ addressedAs: [['x:3'], ['x:3'], []] }, 'addressed_as:x:3')
    await refuse({ series: [{ a: '1' }] }, 'series:[["a","1"]]')
    const uids = [newComponentUid(), newComponentUid(), newComponentUid()]
    await refuse({ uids }, `stream_id:${uids[1]}:s`, ['t', 's', '', '', 's'])
    // Another organization has its own.
    const other = createOf([['there', ['s']]], {
      orgUid: 'other',
      addressedAs: [['x:1', 'x:1']],
      series: [{ a: '1' }],
    })
    await store.commit([other])
    assert.equal((await store.components.findAddressed('other', ['x:1']))[0]?.uid, other.uid)
    assert.equal((await store.components.findAddressed('org', ['x:1']))[0]?.uid, there.uid)
  })
})

test('of creations of one ID that come at the same time one is made', async () => {
  await withStore('at-once', async (first, restart) => {
    const creations = Array.from({ length: 60 }, (_, at) =>
      createOf([
        [`own-${at}`, ['s']],
        [`shared-${at % 4}`, ['s', 't']],
      ]),
    )
    const outcomes = await Promise.allSettled(creations.map((create) => first.commit([create])))
    const made = outcomes.flatMap((outcome, at) => (outcome.status === 'fulfilled' ? [at] : []))
    assert.equal(made.length, 4)
    for (const [at, outcome] of outcomes.entries()) {
      if (outcome.status === 'fulfilled') continue
      conflict(creations[at].uids[1], `component_id:shared-${at % 4}`)(outcome.reason)
    }
    for await (const store of beforeAndAfter(first, restart)) {
      const { components, streams } = await scanAll(store)
      assert.deepEqual([components.size, streams.size], [8, 12])
      const handles = [...streams.values()].map(({ handle }) => handle)
      assert.equal(new Set(handles).size, 12)
      for (const at of made) {
        const found = await store.components.findById('org', `shared-${at % 4}`)
        assert.equal(found?.uid, creations[at].uids[1])
      }
    }
  })
})

test('a limit that is reached by one of several calls refuses that one alone', async () => {
  await withStore('limits', async (store) => {
    const limit = { orgUid: 'org', kinds: ['stream'], of: 'documents', max: 25 } as const
    const creations = Array.from({ length: 10 }, (_, at) =>
      createOf([[`d${at}`, ['a', 'b', 'c', ...(at === 3 ? ['d', 'e', 'f', 'g'] : [])]]]),
    )
    const outcomes = await Promise.allSettled(
      creations.map((create) => store.commit([create], undefined, [limit])),
    )
    const refused = outcomes.filter(({ status }) => status === 'rejected')
    for (const outcome of refused) {
      assert.ok(outcome.status === 'rejected' && outcome.reason instanceof CatalogLimitReached)
    }
    const usage = await store.usage('org')
    const streams = usage.find(({ kind }) => kind === 'stream')?.documents ?? 0
    assert.ok(streams <= 25 && streams >= 19, `${streams} streams`)
    assert.equal((await scanAll(store)).streams.size, streams)
    const bytes = { orgUid: 'org', kinds: ['component', 'stream'], of: 'bytes', max: 100 } as const
    const more = createOf([['more', []]])
    await assert.rejects(store.commit([more], undefined, [bytes]), CatalogLimitReached)
    // Whatever leaves less goes through.
    const [first] = await listAll(store)
    const remove = { ...first, op: 'delete', kind: 'stream', expectedRevision: 'any' } as const
    await store.commit([{ ...remove, uid: countedUidOf(first.uid, 1) }], undefined, [bytes])
  })
})

test('IDs, addresses, series and stream IDs can be swapped, and taken from what the commit deletes', async () => {
  await withStore('swaps', async (first, restart) => {
    const create = createOf(
      [
        ['a', ['s', 't']],
        ['b', ['s']],
        ['c', []],
      ],
      { addressedAs: [['x:a'], ['x:b'], ['x:c']], series: [{ s: '1' }, { s: '2' }, undefined] },
    )
    await first.commit([create])
    const [a, b, c] = create.uids
    const any = { expectedRevision: 'any' } as const
    const component = (uid: string, id: string) =>
      putComponent(uid, componentFields(id, { addressedAs: [`x:${id}`] }), any)
    const { records } = await first.commit([
      { op: 'expect', orgUid: 'org', kind: 'component', uid: a, expectedRevision: 1 },
      putStream(newUid(), { ...streamFields('u'), componentUid: a }),
      component(a, 'c'),
      component(b, 'a'),
      { op: 'delete', orgUid: 'org', kind: 'component', uid: c, expectedRevision: 1 },
    ])
    assert.deepEqual(
      records.map(({ revision }) => revision),
      [1, 2, 2],
    )
    const stream = (ordinal: number, id: string, series: string) =>
      putStream(
        countedUidOf(a, ordinal),
        { ...streamFields(id, { series: { s: series }, order: ordinal - 1 }), componentUid: a },
        any,
      )
    await first.commit([stream(1, 't', '2'), stream(2, 's', '1')])
    const taken = `series:[["s","1"]]`
    await assert.rejects(first.commit([stream(1, 'x', '1')]), conflict(countedUidOf(a, 1), taken))
    const sameId = stream(1, 's', '2')
    await assert.rejects(first.commit([sameId]), conflict(sameId.uid, `stream_id:${a}:s`))
    await assert.rejects(first.commit([component(b, 'c')]), conflict(b, 'component_id:c'))
    const sameAddress = putComponent(b, componentFields('a', { addressedAs: ['x:c'] }), any)
    await assert.rejects(first.commit([sameAddress]), conflict(b, 'addressed_as:x:c'))
    for await (const store of beforeAndAfter(first, restart)) {
      for (const [id, uid] of [
        ['a', b],
        ['c', a],
        ['b', undefined],
      ]) {
        assert.equal((await store.components.findById('org', `${id}`))?.uid, uid)
        assert.equal((await store.components.findAddressed('org', [`x:${id}`]))[0]?.uid, uid)
      }
      assert.equal((await store.components.findSeries('org', [{ s: '2' }]))[0]?.id, 't')
      assert.equal((await store.components.findSeries('org', [{ s: '1' }]))[0]?.id, 's')
    }
  })
})

test('what is deleted is gone with all it had, and what takes its place has numbers of its own', async () => {
  await withStore('again', async (first, restart) => {
    let store = first
    const handles = new Set<number>()
    let last = ''
    for (let round = 0; round < 6; round++) {
      const create = createOf([['device', ['s', 't']]], {
        addressedAs: [['x']],
        series: [{ a: '1' }, undefined],
      })
      const { firstHandles } = await store.commit([create])
      for (const handle of [firstHandles[0], firstHandles[0] + 1]) {
        assert.ok(!handles.has(handle), `handle ${handle} is given twice`)
        handles.add(handle)
      }
      assert.equal((await store.components.findAddressed('org', ['x']))[0]?.uid, create.uid)
      assert.equal(
        (await store.components.findSeries('org', [{ a: '1' }]))[0]?.componentUid,
        create.uid,
      )
      assert.equal(await store.components.get('org', last), undefined)
      const remove = { op: 'delete', orgUid: 'org', expectedRevision: 'any' } as const
      const component = { ...remove, kind: 'component', uid: create.uid }
      await assert.rejects(store.commit([component]), conflict(create.uid, undefined))
      const streams = [1, 2].map((ordinal) => {
        return { ...remove, kind: 'stream', uid: countedUidOf(create.uid, ordinal) }
      })
      await assert.rejects(store.commit([component, ...streams]), conflict(create.uid, undefined))
      await store.commit([...streams, component])
      assert.deepEqual(
        (await store.usage('org')).map(({ documents, bytes }) => [documents, bytes]),
        [
          [0, 0],
          [0, 0],
        ],
      )
      assert.equal(await store.components.findById('org', 'device'), undefined)
      assert.deepEqual(await store.components.findAddressed('org', ['x']), [undefined])
      assert.deepEqual(await store.components.findSeries('org', [{ a: '1' }]), [undefined])
      const orphan = putStream(newUid(), { ...streamFields('s'), componentUid: create.uid })
      await assert.rejects(store.commit([orphan]), conflict(create.uid, undefined))
      last = create.uid
      if (round % 2 === 1) store = await restart()
    }
  })
})

test('streams have ordinals up to 2^24 - 1 or UIDs of their own, and no UID is had twice', async () => {
  await withStore('ordinals', async (first, restart) => {
    const create = createOf([
      ['a', ['s1', 's2']],
      ['b', ['s1']],
    ])
    await first.commit([create])
    const [a, b] = create.uids
    const moved = newUid()
    await first.commit([putComponent(moved, componentFields('moved'))])
    const add = (componentUid: string, uid: string, id: string, order = 9) =>
      putStream(uid, { ...streamFields(id, { order }), componentUid })
    const [own, other] = [newUid(), newUid()]
    const lastUid = countedUidOf(a, 2 ** 24 - 1)
    await first.commit([
      add(a, lastUid, 'last', 2 ** 24 - 2),
      add(a, countedUidOf(a, 700), 'middle'),
      add(a, own, 'own'),
      add(a, a, 'named as its component'),
      add(moved, other, 'other'),
    ])
    const wrongs = [
      add(b, countedUidOf(a, 1), 'x'),
      add(moved, countedUidOf(a, 700), 'x'),
      add(b, own, 'x'),
      add(b, a, 'x'),
      add(a, other, 'x'),
      add(a, 'no UID', 'x'),
      add(a, a.toUpperCase(), 'x'),
    ]
    for (const wrong of wrongs) {
      await assert.rejects(first.commit([wrong]), conflict(wrong.uid, undefined))
      const any = { ...wrong, expectedRevision: 'any' } as const
      await assert.rejects(first.commit([any]), conflict(wrong.uid, undefined))
    }
    for await (const store of beforeAndAfter(first, restart)) {
      const page = { start: 0, limit: 100 }
      const streams = await store.components.streamsOf('org', a, page)
      const nines = [a, countedUidOf(a, 700), own].sort()
      assert.deepEqual(
        streams.map(({ uid }) => uid),
        [countedUidOf(a, 1), countedUidOf(a, 2), ...nines, lastUid],
      )
      for (const stream of streams) {
        assert.deepEqual(await store.components.getStream('org', stream.uid), stream)
        assert.equal(await store.components.getStream('other', stream.uid), undefined)
      }
      const { streams: scanned } = await scanAll(store)
      assert.equal(scanned.size, 8)
      assert.equal(scanned.get(lastUid)?.id, 'last')
    }
  })
})
