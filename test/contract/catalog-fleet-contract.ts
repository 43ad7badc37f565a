import assert from 'node:assert/strict'
import { familyHeadOf, newFamilies } from '../../src/base/index.ts'
import {
  CatalogConflict,
  CatalogLimitReached,
  type CatalogStore,
  type FleetPattern,
  type IndexRow,
  PATTERN_ID,
  type PutDocument,
  type PutFleet,
} from '../../src/store/index.ts'
import { putsOfFleet } from '../../src/store/puts-of-fleet.ts'
import { fc } from '../support/fast-check.ts'
import { type CatalogStoreHome, runsOf } from './catalog-store-home.ts'

type Case = (store: CatalogStore, home: CatalogStoreHome) => Promise<void>

const head: FleetPattern = {
  ...{ listKey: `/Components/${PATTERN_ID}`, index: `UTC\n${PATTERN_ID}` },
  claims: [`component_id:${PATTERN_ID}`],
  body: { id: PATTERN_ID, creationDate: 1_700_000_000_000, ownerUser: { uid: 'u', name: 'Zoë' } },
}

function member(order: number): FleetPattern {
  const text = order.toString(36).padStart(7, '0')
  return {
    ...{
      listKey: text,
      index: `01${order}\n\n${PATTERN_ID}`,
      claims: [`stream_id::${PATTERN_ID}`],
    },
    body: { id: PATTERN_ID, valueType: 'DOUBLE', order },
  }
}

const members = [member(0), member(1), member(2)]

/** A component for each ID, with streams of these IDs. */
function fleetOf(ids: readonly (readonly [string, readonly string[]])[], orgUid = 'org'): PutFleet {
  const { firstNumber, tails } = newFamilies(ids.length)
  return {
    ...{ op: 'fleet', orgUid, kind: 'component', expectedRevision: 0, firstNumber, tails },
    ...{ uid: familyHeadOf(firstNumber, tails), compIds: ids.map(([id]) => id), head, members },
    streamCounts: ids.map(([, streams]) => streams.length),
    streamIds: ids.flatMap(([, streams]) => streams),
    memberOf: ids.flatMap(([, streams]) => streams.map((_, at) => at)),
  }
}

async function rowsOf(store: CatalogStore): Promise<Map<string, IndexRow>> {
  const rows = new Map<string, IndexRow>()
  const { isWhole } = await store.scanIndex(['component', 'stream'], {
    onRow: (row) => rows.set(row.uid, row),
  })
  assert.ok(isWhole)
  return rows
}

/** What the store answers of puts, which all were made by one commit. */
async function assertHolds(store: CatalogStore, puts: readonly PutDocument[]): Promise<void> {
  const rows = await rowsOf(store)
  const handles: number[] = []
  for (const put of puts) {
    const { orgUid, kind, uid, parentUid = '', listKey = '', body, claims = [] } = put
    const found = await store.get(put)
    assert.ok(found !== undefined)
    const { handle, ...rest } = found
    const expected = { orgUid, kind, uid, parentUid, listKey, expiresAtMs: undefined, revision: 1 }
    assert.deepEqual(rest, { ...expected, body })
    assert.deepEqual(rows.get(uid), { orgUid, kind, uid, parentUid, handle, index: put.index })
    for (const claim of claims) {
      assert.equal((await store.findByClaim(orgUid, claim))?.uid, uid)
    }
    if (kind === 'stream') handles.push(Number(handle))
  }
  assert.deepEqual(
    handles,
    handles.map((_, at) => handles[0] + at),
  )
}

async function countOf(store: CatalogStore, kind: string): Promise<number> {
  return (await store.usage('org')).find((one) => one.kind === kind)?.documents ?? 0
}

const odd: readonly (readonly [string, readonly string[]])[] = [
  ['a', ['0', '00', '0000001']],
  ['"quoted" \\ back', ['t']],
  ['\u{1F600}\u0001\u0002', ['\u0001', 'ü', ';,']],
  ['x'.repeat(100), ['y'.repeat(512)]],
]

/** The promises about fleets. */
export function fleetCases(check: (name: string, run: Case) => void): void {
  check('a fleet is stored as its puts would be, across a restart', async (store, home) => {
    const ids = [...odd, ...Array.from({ length: 20 }, (_, at) => [`d${at}`, ['s', 't']] as const)]
    const fleet = fleetOf(ids)
    const puts = putsOfFleet(fleet)
    const [first] = await store.commit([fleet])
    assert.equal(first.uid, puts[1].uid)
    assert.deepEqual(first.body, puts[1].body)
    const { changes } = await store.changesSince(0, 1_000)
    assert.deepEqual(
      changes.map(({ kind, uid, parentUid, isDeleted }) => [kind, uid, parentUid, isDeleted]),
      puts.map(({ kind, uid, parentUid = '' }) => [kind, uid, parentUid, false]),
    )
    await assertHolds(store, puts)
    const twin = putsOfFleet(fleetOf(ids, 'twin'))
    await store.commit(twin)
    assert.deepEqual(await store.usage('org'), await store.usage('twin'))
    await store.close()
    const again = await home.open()
    await assertHolds(again, puts)
    await again.close()
  })

  check('fleets of any IDs are stored as their puts would be', async (store, home) => {
    const id = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 })
    const streams = fc.uniqueArray(id, { minLength: 1, maxLength: 3 })
    const ids = fc.uniqueArray(fc.tuple(id, streams), {
      ...{ minLength: 1, maxLength: 4, selector: ([compId]) => compId },
    })
    let round = 0
    const scenario = fc.asyncProperty(ids, async (wanted) => {
      const fleet = fleetOf(wanted, `org-${round++}`)
      await store.commit([fleet])
      await assertHolds(store, putsOfFleet(fleet))
    })
    await fc.assert(scenario, { numRuns: runsOf(home, 40) })
  })

  check(
    'components with the streams of the one before, or nearly, are as their puts',
    async (store, home) => {
      const streams = fc.uniqueArray(fc.constantFrom('s', 't', 'st', 'ts', 'sts'), {
        ...{ minLength: 1, maxLength: 3 },
      })
      const some = fc.record({ streams, shift: fc.nat(2), count: fc.integer({ min: 1, max: 8 }) })
      let round = 0
      const scenario = fc.asyncProperty(
        fc.array(some, { minLength: 1, maxLength: 5 }),
        async (runs) => {
          const each = runs.flatMap((run) => new Array<typeof run>(run.count).fill(run))
          const fleet = (orgUid: string): PutFleet => ({
            ...fleetOf(
              each.map((run, at) => [`d${at}`, run.streams]),
              orgUid,
            ),
            memberOf: each.flatMap((run) => run.streams.map((_, at) => (at + run.shift) % 3)),
          })
          const own = fleet(`like-${round}`)
          await store.commit([own])
          await assertHolds(store, putsOfFleet(own))
          await store.commit(putsOfFleet(fleet(`twin-${round}`)))
          assert.deepEqual(await store.usage(`like-${round}`), await store.usage(`twin-${round}`))
          round += 1
        },
      )
      await fc.assert(scenario, { numRuns: runsOf(home, 12) })
    },
  )

  check(
    'a stream ID twice in a component of a fleet makes nothing, whatever others have',
    async (store) => {
      const each = ['a', 'b', 'c', 'd', 'e', 'f'].map((id) => [id, ['s', 't']] as const)
      await store.commit([fleetOf(each)])
      const more = [...each.map(([id, streams]) => [`${id}2`, streams] as const)]
      const twice = fleetOf([...more, ['g', ['s', 's']], ['h', ['s', 's']]])
      await assert.rejects(store.commit([twice]), CatalogConflict)
      assert.equal(await countOf(store, 'component'), each.length)
    },
  )

  check('a fleet of which an ID is taken makes nothing', async (store) => {
    await store.commit([fleetOf([['b', ['s']]])])
    const before = await store.changesSince(0, 100)
    const taken = fleetOf([
      ['a', ['s']],
      ['b', ['s']],
    ])
    const twice = fleetOf([
      ['c', ['s']],
      ['c', ['s']],
    ])
    const twins = fleetOf([['d', ['s', 't', 's']]])
    const claimed = (claim: string) => (error: unknown) =>
      error instanceof CatalogConflict && error.claim === claim
    const outcomes = [
      assert.rejects(store.commit([taken]), claimed('component_id:b')),
      store.commit([fleetOf([['e', ['s']]])]),
      assert.rejects(store.commit([twice]), claimed('component_id:c')),
      assert.rejects(store.commit([twins]), claimed(`stream_id:${twins.uid}:s`)),
    ]
    await Promise.all(outcomes)
    assert.equal(await countOf(store, 'component'), 2)
    assert.equal(await countOf(store, 'stream'), 2)
    assert.equal(await store.findByClaim('org', 'component_id:a'), undefined)
    const { changes } = await store.changesSince(before.cursor, 100)
    assert.equal(changes.length, 2)
    const [next] = await store.commit([fleetOf([['a', ['s']]])])
    const handles = [...(await rowsOf(store)).values()].flatMap(({ handle }) => handle ?? [])
    assert.equal(new Set(handles).size, 3)
    assert.ok(handles.some((handle) => handle === next.handle))
  })

  check('a fleet whose UID is there makes nothing', async (store) => {
    const fleet = fleetOf([['a', ['s']]])
    await store.commit([fleet])
    await assert.rejects(store.commit([{ ...fleet, compIds: ['b'] }]), CatalogConflict)
    assert.equal(await store.findByClaim('org', 'component_id:b'), undefined)
  })

  check('a fleet past a limit makes nothing', async (store) => {
    const limit = { orgUid: 'org', kinds: ['stream'], of: 'documents', max: 3 } as const
    const pair = (id: string) => fleetOf([[id, ['s', 't']]])
    await store.commit([pair('a')], undefined, [limit])
    await assert.rejects(store.commit([pair('b')], undefined, [limit]), CatalogLimitReached)
    assert.equal(await countOf(store, 'stream'), 2)
    await store.commit([pair('b')], undefined, [{ ...limit, max: 4 }])
    const bytes = { orgUid: 'org', kinds: ['component', 'stream'], of: 'bytes', max: 100 } as const
    await assert.rejects(store.commit([pair('c')], undefined, [bytes]), CatalogLimitReached)
    assert.equal(await countOf(store, 'component'), 2)
  })

  check('what a fleet made is edited and deleted as what puts made', async (store) => {
    const fleet = fleetOf([['a', ['s', 't']]])
    await store.commit([fleet])
    const [component, stream] = putsOfFleet(fleet)
    const renamed = { ...component, claims: ['component_id:z'], body: { id: 'z' } }
    await assert.rejects(store.commit([component]), CatalogConflict)
    const [edited] = await store.commit([{ ...renamed, expectedRevision: 1 }])
    assert.equal(edited.revision, 2)
    assert.equal(await store.findByClaim('org', 'component_id:a'), undefined)
    const { orgUid, kind, uid } = stream
    await store.commit([{ op: 'delete', orgUid, kind, uid, expectedRevision: 1 }])
    assert.equal(await countOf(store, 'stream'), 1)
    await store.commit([fleetOf([['a', ['s']]])])
    assert.equal(await countOf(store, 'component'), 2)
  })
}
