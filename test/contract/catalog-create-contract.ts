import assert from 'node:assert/strict'
import { countedUidOf, newOrderedUid } from '../../src/base/index.ts'
import { bytesOfComponent, bytesOfStream } from '../../src/store/fields/counted-bytes.ts'
import {
  type CatalogLimit,
  CatalogLimitReached,
  type CatalogStore,
  type Committed,
  type CreateComponents,
  type Labels,
  type StoredComponent,
  type StoredStream,
} from '../../src/store/index.ts'
import { fc } from '../support/fast-check.ts'
import { componentFields, createOf, PLAIN, putComponent } from './catalog-components.ts'
import { conflictOn, usageOf } from './catalog-outcomes.ts'
import { scanAll, scannedComponentOf, scannedStreamOf } from './catalog-scanned.ts'
import { type CatalogStoreHome, runsOf } from './catalog-store-home.ts'

type Case = (store: CatalogStore, home: CatalogStoreHome) => Promise<void>
type Check = (name: string, run: Case) => void

/** The promises about what is created. */
export function createdCases(check: Check): void {
  createCases(check)
  refusedCreateCases(check)
}

const LONGEST = 512
/** Shortest and longest, in many scripts, alike but for case, with what SQL, JSON, and URLs would take for their own. */
const ODD_IDS = [
  'a',
  'A',
  'ä',
  'Ä',
  'ß',
  'SS',
  'ı',
  'I',
  'i',
  'İ',

  'e\u0301',
  '\u00e9',
  '\u{1F600}',
  '\u{1F1E8}\u{1F1ED}',
  '\uFF5E',
  '\uD7FF',
  '\uE000',
  '\u{10FFFF}',
  'Ωμέγα',
  'Котёл',
  'غلاية',
  'דוד',
  'ボイラー',
  '보일러',
  '锅炉',
  'หม้อไอน้ำ',
  'बॉयलर',

  '0',
  '00',
  '0000001',
  '1e3',
  'null',
  'NULL',
  '{}',
  '[]',
  '"quoted" \\ back',
  "it's",
  '%',
  '_',

  ' lead',
  'trail ',
  'a b',
  'a\tb',
  'a\nb',
  '\u0000',
  '\u0001',
  'a\u0000b',
  'a\u0001',
  'a\u0001\u0001',

  '/',
  '//',
  '/a',
  'a/b',
  '../..',
  '{a,b}',
  '$1',
  '\\x41',
  'x'.repeat(LONGEST),
  'X'.repeat(LONGEST),

  'ü'.repeat(LONGEST),
  '\u{1F600}'.repeat(LONGEST),
  `${'\u{1F600}'.repeat(LONGEST - 1)}\u{1F601}`,
]

/** The components and streams that a creation makes. */
function madeBy(create: CreateComponents, { firstHandles }: Committed) {
  const components: StoredComponent[] = []
  const streams: StoredStream[] = []
  const { orgUid, uids, ids, names, addressedAs, common, streamCounts } = create
  for (const [at, uid] of uids.entries()) {
    const named = {
      id: ids[at],
      name: names?.[at] ?? ids[at],
      addressedAs: addressedAs?.[at] ?? [],
    }
    const own = { orgUid, uid, revision: 1, lastOrdinal: 0, ...named }
    components.push({ kind: 'component', ...own, ...common })
    for (let ordinal = 1; ordinal <= streamCounts[at]; ordinal++) {
      const stream = streams.length
      const { streamIds, streamNames, labels, series, definitions, definitionOf } = create
      streams.push({
        kind: 'stream',
        orgUid,
        uid: countedUidOf(uid, ordinal),
        componentUid: uid,
        handle: (firstHandles[0] + stream) as StoredStream['handle'],
        revision: 1,
        id: streamIds[stream],
        name: streamNames?.[stream] ?? streamIds[stream],
        order: ordinal - 1,
        ...definitions[definitionOf[stream]],
        ...(labels?.[stream] === undefined ? {} : { labels: labels[stream] }),
        ...(series?.[stream] === undefined ? {} : { series: series[stream] }),
      })
    }
  }
  return { components, streams }
}

/** Asserts that every read returns the created records. */
async function assertHolds(
  store: CatalogStore,
  create: CreateComponents,
  committed: Committed,
): Promise<void> {
  const { components: reads } = store
  const { components, streams } = madeBy(create, committed)
  const scanned = await scanAll(store)
  for (const component of components) {
    const { orgUid, uid, id, addressedAs } = component
    assert.deepEqual(await reads.get(orgUid, uid), component)
    assert.deepEqual(await reads.findById(orgUid, id), id === '' ? undefined : component)
    for (const address of addressedAs) {
      assert.deepEqual((await reads.findAddressed(orgUid, [address]))[0], component)
    }
    const own = streams.filter(({ componentUid }) => componentUid === uid)
    assert.deepEqual(await reads.streamsOf(orgUid, uid, { start: 0, limit: 10_000 }), own)
    assert.deepEqual(scanned.components.get(uid), scannedComponentOf(component))
  }
  for (const stream of streams) {
    assert.deepEqual(await reads.getStream(stream.orgUid, stream.uid), stream)
    const { orgUid, uid, series } = stream
    if (series !== undefined)
      assert.deepEqual((await reads.findSeries(orgUid, [series]))[0], stream)
    assert.deepEqual(scanned.streams.get(uid), scannedStreamOf(stream))
  }
  const bytesOf = (kind: string) =>
    kind === 'component' ? sum(components.map(bytesOfComponent)) : sum(streams.map(bytesOfStream))
  const counts = { component: components.length, stream: streams.length }
  for (const [kind, documents] of Object.entries(counts)) {
    assert.deepEqual(await usageOf(store, kind, create.orgUid), { documents, bytes: bytesOf(kind) })
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0)
}

function createCases(check: Check): void {
  check('components of any IDs are created with their streams, for good', async (store, home) => {
    const each = ODD_IDS.map((id, at) => [id, ODD_IDS.slice(0, (at % 4) * 3)] as const)
    const create = createOf([...each, ['last', ODD_IDS]])
    const committed = await store.commit([create])
    assert.deepEqual(committed.records, [])
    assert.equal(committed.firstHandles.length, 1)
    const { changes, cursor } = await store.changesSince(0, 1_000)
    assert.equal(changes.length, create.uids.length)
    for (const [at, change] of changes.entries()) {
      const { isOwn: _, ...rest } = change
      assert.deepEqual(rest, {
        cursor: at + 1,
        orgUid: 'org',
        kind: 'component',
        uid: create.uids[at],
        parentUid: '',
        streamCount: create.streamCounts[at],
        isDeleted: false,
      })
    }
    assert.equal((await scanAll(store)).cursor, cursor)
    await assertHolds(store, create, committed)
    await store.close()
    const again = await home.open()
    await assertHolds(again, create, committed)
    await again.close()
  })

  check('all fields of created components and streams are kept', async (store, home) => {
    const create = createOf(
      [
        ['', ['', '', 'x']],
        ['', []],
        ['named', ['s', 't']],
        ['bare', ['s']],
      ],
      {
        names: ['', 'only a name', 'a long name '.repeat(200), 'bare'],
        addressedAs: [
          [],
          [],
          ['device/7', 'EUI-64 \u0000 \u{1F600}', 'y'.repeat(3_000)],
          ['other'],
        ],
        common: {
          folder: '/site \u0000/Hällé/\u{1F600}',
          timeZone: 'America/Argentina/Buenos_Aires',
          createdAtMs: 0,
          owner: null,
          more: { description: 'a \u0000 "b"', location: { latitude: 47.5, longitude: -8 } },
        },
        streamNames: ['', 'n', 'x', 'sss', '\u0001'],
        definitions: [
          PLAIN,
          {
            streamKind: 15,
            valueCode: 63,
            isDerived: true,
            hasDeleteProfile: true,
            grid: 'PT15M \u00e4',
            more: { unit: '°C', derivation: { expression: 'a + b' } },
          },
          { ...PLAIN, hasDeleteProfile: true },
        ],
        definitionOf: [0, 1, 2, 1, 0, 0],
        labels: [
          { a: 'b' },
          undefined,
          { a: 'b', host: 'h\u0000', __proto: 'x' },
          {},
          undefined,
          undefined,
        ],
        series: [
          undefined,
          { __name__: 'up', job: 'j' },
          undefined,
          undefined,
          { job: 'j' },
          { a: 'x'.repeat(2_000) },
        ],
      },
    )
    // The name of the last stream is that of its ID.
    const whole = { ...create, streamNames: [...(create.streamNames ?? []), 's'] }
    const committed = await store.commit([whole])
    await assertHolds(store, whole, committed)
    await store.close()
    const again = await home.open()
    await assertHolds(again, whole, committed)
    assert.equal(await again.components.findById('org', ''), undefined)
    assert.equal(await again.components.findById('other', 'named'), undefined)
    assert.equal(await again.components.get('other', whole.uids[0]), undefined)
    assert.equal(
      await again.components.getStream('other', countedUidOf(whole.uids[0], 1)),
      undefined,
    )
    assert.equal(await again.components.get('org', 'nothing'), undefined)
    assert.equal(await again.components.getStream('org', newOrderedUid()), undefined)
    assert.equal((await again.components.findAddressed('org', ['device/8']))[0], undefined)
    assert.equal((await again.components.findAddressed('other', ['device/7']))[0], undefined)
    assert.equal((await again.components.findSeries('org', [{ job: 'k' }]))[0], undefined)
    await again.close()
  })

  check('a series is found by its labels in any order', async (store) => {
    const series = { zone: '1', a: '2', b: '' }
    const create = createOf([['c', ['s']]], { series: [series] })
    await store.commit([create])
    const found = (await store.components.findSeries('org', [{ b: '', zone: '1', a: '2' }]))[0]
    assert.equal(found?.uid, countedUidOf(create.uid, 1))
    assert.deepEqual(found?.series, series)
    const others: Labels[] = [{ a: '2', zone: '1' }, { ...series, c: '' }, {}]
    for (const other of others) {
      assert.equal((await store.components.findSeries('org', [other]))[0], undefined)
    }
  })

  check('components of random IDs are created as told', async (store, home) => {
    const id = fc.string({ unit: 'grapheme', maxLength: 8 })
    const streams = fc.uniqueArray(id, { maxLength: 4, selector: (one) => one || {} })
    const each = fc.uniqueArray(fc.tuple(id, streams), {
      minLength: 1,
      maxLength: 5,
      selector: ([compId]) => compId || {},
    })
    let round = 0
    const scenario = fc.asyncProperty(each, async (wanted) => {
      const create = createOf(wanted, { orgUid: `org-${round++}` })
      await assertHolds(store, create, await store.commit([create]))
    })
    await fc.assert(scenario, { numRuns: runsOf(home, 40) })
  })

  check('one creation makes thousands of streams', async (store) => {
    const ids = Array.from({ length: 5_000 }, (_, at) => `stream ${at}`)
    const each = Array.from({ length: 100 }, (_, at) => [`device ${at}`, ['s', 't']] as const)
    const create = createOf([['gateway', ids], ...each])
    const { firstHandles } = await store.commit([create])
    const page = { start: 4_990, limit: 100 }
    const last = await store.components.streamsOf('org', create.uid, page)
    assert.deepEqual(
      last.map(({ id, handle }) => [id, handle]),
      ids.slice(4_990).map((id, at) => [id, firstHandles[0] + 4_990 + at]),
    )
    assert.equal((await scanAll(store)).streams.size, 5_200)
    assert.deepEqual(await usageOf(store, 'stream').then(({ documents }) => documents), 5_200)
  })
}

function refusedCreateCases(check: Check): void {
  check('a creation that meets what is there makes nothing, and tells the claim', async (store) => {
    const first = createOf([['b', ['s']]], { addressedAs: [['b/addr']], series: [{ job: 'b' }] })
    await store.commit([first])
    const before = await store.changesSince(0, 100)
    const pair = (id: string, streams: readonly string[]) =>
      [
        ['new', ['s']],
        [id, streams],
      ] as const
    const taken = createOf(pair('b', ['s']))
    const twice = createOf(pair('new', ['s']))
    const doubled = createOf(pair('x', ['s', 't', 's']))
    const addressed = createOf(pair('x', []), { addressedAs: [['n'], ['b/addr']] })
    const addressedTwice = createOf(pair('x', []), { addressedAs: [['n'], ['n']] })
    const inSeries = createOf(pair('x', ['s']), { series: [undefined, { job: 'b' }] })
    const sameUid = { ...createOf([['y', []]]), uid: first.uid, uids: [first.uid] }
    const [, doubledUid] = doubled.uids
    const refused = (create: CreateComponents, claim: string | undefined, uid?: string) =>
      assert.rejects(store.commit([create]), conflictOn(claim, uid))
    await Promise.all([
      refused(taken, 'component_id:b', taken.uids[1]),
      refused(twice, 'component_id:new', twice.uids[1]),
      refused(doubled, `stream_id:${doubledUid}:s`),
      refused(addressed, 'addressed_as:b/addr'),
      refused(addressedTwice, 'addressed_as:n'),
      refused(inSeries, 'series:[["job","b"]]'),
      refused(sameUid, undefined, first.uid),
    ])
    assert.deepEqual(await store.changesSince(0, 100), before)
    assert.equal((await usageOf(store, 'component')).documents, 1)
    assert.equal(await store.components.findById('org', 'new'), undefined)
    // All of it is free for others still, and for other organizations anyway.
    await store.commit([createOf(pair('x', ['s']), { addressedAs: [['n'], []] })])
    await store.commit([
      createOf(pair('b', ['s']), { orgUid: 'other', addressedAs: [['b/addr'], []] }),
    ])
  })

  check('of creations that race for one ID exactly one is made', async (store) => {
    const racers = Array.from({ length: 30 }, (_, at) =>
      store.commit([
        createOf([
          [`side ${at}`, ['s']],
          ['only', ['s', 't']],
        ]),
      ]),
    )
    const outcomes = await Promise.allSettled(racers)
    const made = outcomes.filter(({ status }) => status === 'fulfilled')
    assert.equal(made.length, 1)
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') conflictOn('component_id:only')(outcome.reason)
    }
    assert.equal((await usageOf(store, 'component')).documents, 2)
    assert.equal((await usageOf(store, 'stream')).documents, 3)
  })

  check('a creation past a limit makes nothing', async (store) => {
    const limit: CatalogLimit = { orgUid: 'org', kinds: ['stream'], of: 'documents', max: 3 }
    const bytes: CatalogLimit = { ...limit, kinds: ['component', 'stream'], of: 'bytes', max: 400 }
    const pair = (id: string) => createOf([[id, ['s', 't']]])
    const refused = (create: CreateComponents, one: CatalogLimit) =>
      assert.rejects(store.commit([create], undefined, [one]), (error) => {
        assert.ok(error instanceof CatalogLimitReached)
        assert.deepEqual(error.limit, one)
        return true
      })
    await store.commit([pair('a')], undefined, [limit, bytes])
    await refused(pair('b'), limit)
    // The limit is reached amid the streams of a gateway: nothing of it is made.
    await refused(
      createOf([['gateway', Array.from({ length: 1_000 }, (_, at) => `s${at}`)]]),
      bytes,
    )
    assert.equal((await usageOf(store, 'stream')).documents, 2)
    assert.equal((await usageOf(store, 'component')).documents, 1)
    assert.equal(await store.components.findById('org', 'gateway'), undefined)
    await store.commit([pair('b')], undefined, [{ ...limit, max: 4 }, bytes])
    await refused(createOf([['x'.repeat(300), []]]), bytes)
    const { uid } = (await store.components.findById('org', 'b')) as StoredComponent
    const longer = putComponent(uid, componentFields('b', { more: { text: 'x'.repeat(400) } }))
    await assert.rejects(
      store.commit([{ ...longer, expectedRevision: 1 }], undefined, [bytes]),
      CatalogLimitReached,
    )
    assert.equal((await store.components.get('org', uid))?.revision, 1)
  })
}
