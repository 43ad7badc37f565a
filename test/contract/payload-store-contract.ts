import assert from 'node:assert/strict'
import { test } from 'node:test'
import { epochMs } from '../../src/base/index.ts'
import type {
  NewPayload,
  PayloadBounds,
  PayloadStore,
  RunOutcome,
  StreamHandle,
} from '../../src/store/index.ts'

/** One store under test, and how to open it again. */
export interface PayloadStoreFixture {
  readonly store: PayloadStore
  reopen(): Promise<PayloadStore>
  dispose(): Promise<void>
}

/** Bounds that tests reach. */
export const CONTRACT_BOUNDS: PayloadBounds = { countMax: 5, bytesMax: 20_000 }

/** Enough that whatever slack an adapter allows itself is used up. */
const MANY = 200
/** More than an adapter writes at once. */
const WRITES = 600

/** A payload of a connector; the number makes its time and body its own. */
export function payloadOf(number: number, more: Partial<NewPayload> = {}): NewPayload {
  return {
    orgUid: 'org',
    connectorUid: 'c1',
    time: epochMs(1_700_000_000_000 + number),
    method: 'POST',
    query: `n=${number}`,
    body: `body ${number}`,
    ...more,
  }
}

/** An outcome; the number is its count of samples. */
export function outcomeOf(samples: number, more: Partial<RunOutcome> = {}): RunOutcome {
  return {
    start: epochMs(1_700_000_000_000),
    end: epochMs(1_700_000_000_005),
    status: 'DONE',
    rowsFetched: 0,
    rowsIngested: samples,
    rowsSkipped: 0,
    samples,
    message: '',
    ...more,
  }
}

async function put(store: PayloadStore, payload: NewPayload): Promise<string> {
  const { uid, landed } = store.put(payload)
  await landed
  return uid
}

const keyOf = (uid: string, connectorUid = 'c1') => ({ orgUid: 'org', connectorUid, uid })
const FIRST = { start: 0, limit: 1_000 }

type Check = (name: string, body: (fixture: PayloadStoreFixture) => Promise<void>) => void

/** What every PayloadStore adapter must do. */
export function payloadStoreContract(
  engine: string,
  open: () => Promise<PayloadStoreFixture>,
): void {
  const check: Check = (name, body) => {
    test(`${engine}: ${name}`, async () => {
      const fixture = await open()
      try {
        await body(fixture)
      } finally {
        await fixture.dispose()
      }
    })
  }
  checkPayloads(check)
  checkOutcomes(check)
  checkBounds(check)
  checkDeletion(check)
}

function checkPayloads(check: Check): void {
  check('a store that was given nothing has nothing', async ({ store }) => {
    assert.deepEqual(await store.list('c1', FIRST), { payloads: [], totalCount: 0 })
    assert.equal(await store.get('c1', 'nonsense'), undefined)
    assert.deepEqual(await store.listUnsettled(undefined, 10), [])
    assert.deepEqual(await store.listConnectors(), [])
    await store.deleteOf('c1')
  })

  check('put() keeps a payload that get() and list() give back, after a start too', async (one) => {
    const bodies = ['', null, 'ünï © 🚀\u0000"', 'x'.repeat(15_000)]
    const uids: string[] = []
    for (const [number, body] of bodies.entries()) {
      uids.push(await put(one.store, payloadOf(number, { body, method: 'PUT' })))
    }
    assert.equal(new Set(uids).size, bodies.length)
    const look = async (store: PayloadStore): Promise<void> => {
      for (const [number, body] of bodies.entries()) {
        const { time, query } = payloadOf(number)
        const bytes = Buffer.byteLength(body ?? '')
        const kept = { uid: uids[number], time, method: 'PUT', bytes, outcome: undefined }
        assert.deepEqual(await store.get('c1', uids[number]), {
          ...kept,
          query,
          body,
          assigned: [],
        })
      }
      const { payloads, totalCount } = await store.list('c1', { start: 1, limit: 2 })
      assert.deepEqual(
        payloads.map(({ uid }) => uid),
        [uids[2], uids[1]],
        'the newest first',
      )
      assert.equal(totalCount, 4)
    }
    await look(one.store)
    const again = await one.reopen()
    await look(again)
    uids.push(await put(again, payloadOf(9)))
    assert.equal(new Set(uids).size, 5, 'no UID is given twice')
  })

  check('put() of many at once keeps them in the order in which they came', async ({ store }) => {
    const puts = Array.from({ length: 5 }, (_, number) => store.put(payloadOf(number)))
    await Promise.all(puts.map(({ landed }) => landed))
    const { payloads } = await store.list('c1', FIRST)
    assert.deepEqual(
      payloads.map(({ uid }) => uid),
      puts.map(({ uid }) => uid).reverse(),
    )
  })

  check('a payload shows in its own connector only', async ({ store }) => {
    const mine = await put(store, payloadOf(1))
    const theirs = await put(store, payloadOf(2, { connectorUid: 'c2', orgUid: 'other' }))
    assert.equal(await store.get('c1', theirs), undefined)
    assert.equal(await store.get('c2', mine), undefined)
    assert.equal((await store.list('c2', FIRST)).totalCount, 1)
    assert.deepEqual(await store.listConnectors(), [
      { orgUid: 'org', connectorUid: 'c1' },
      { orgUid: 'other', connectorUid: 'c2' },
    ])
  })
}

function checkOutcomes(check: Check): void {
  check('settle() keeps what came of a payload, the last time it ran', async (one) => {
    const uid = await put(one.store, payloadOf(1))
    const failed = outcomeOf(0, { status: 'FAILED', message: 'line 1: no ü' })
    await one.store.settle(keyOf(uid), failed)
    assert.deepEqual((await one.store.get('c1', uid))?.outcome, failed)
    await one.store.settle(keyOf(uid), outcomeOf(7))
    const again = await one.reopen()
    assert.deepEqual((await again.get('c1', uid))?.outcome, outcomeOf(7))
    assert.deepEqual((await again.list('c1', FIRST)).payloads[0].outcome, outcomeOf(7))
  })

  check('settle() of a payload that is not durable yet keeps its outcome', async (one) => {
    // An adapter with several connections has all of them open.
    await Promise.all(Array.from({ length: 4 }, () => one.store.list('c1', FIRST)))
    const puts = Array.from({ length: WRITES }, (_, number) => one.store.put(payloadOf(number)))
    const { uid } = puts[WRITES - 1]
    const failed = outcomeOf(0, { status: 'FAILED', message: 'no SQL' })
    await one.store.settle(keyOf(uid), failed)
    await Promise.all(puts.map(({ landed }) => landed))
    for (const store of [one.store, await one.reopen()])
      assert.deepEqual((await store.get('c1', uid))?.outcome, failed)
  })

  check('listRuns() tells every run, also those before the last of a payload', async (one) => {
    const [early, late] = [await put(one.store, payloadOf(1)), await put(one.store, payloadOf(2))]
    const outcomes = [1, 2, 3].map((n) => outcomeOf(n, { start: epochMs(1_700_000_001_000 + n) }))
    for (const outcome of outcomes) await one.store.settle(keyOf(early), outcome)
    for (const store of [one.store, await one.reopen()]) {
      const { runs, totalCount } = await store.listRuns('c1', FIRST)
      assert.equal(totalCount, 4)
      assert.deepEqual(
        runs.map(({ outcome }) => outcome),
        [...outcomes.toReversed(), undefined],
      )
      assert.deepEqual([runs[0].uid, runs[3].uid], [early, late])
      assert.equal(new Set(runs.map(({ uid }) => uid)).size, 4)
      assert.equal(await store.get('c1', runs[1].uid), undefined, 'no payload has the UID of a run')
      const page = await store.listRuns('c1', { start: 1, limit: 2 })
      assert.deepEqual(page.runs, runs.slice(1, 3))
    }
    const again = await one.reopen()
    for (let n = 0; n < MANY; n += 1) await again.settle(keyOf(late), outcomeOf(n))
    const kept = await again.listRuns('c1', FIRST)
    assert.deepEqual([kept.totalCount, kept.runs.length], [5, 5])
    await again.deleteOf('c1')
    assert.deepEqual(await again.listRuns('c1', FIRST), { runs: [], totalCount: 0 })
  })

  check(
    'keepAssigned() keeps the times of samples with their payload, and counts long ones',
    async (one) => {
      const uid = await put(one.store, payloadOf(1))
      const span = (handle: number, from: number, count: number) => ({
        handle: handle as StreamHandle,
        from,
        count,
      })
      await one.store.keepAssigned(keyOf(uid), [span(1, -5, 1)])
      const spans = [span(7, 1_700_000_000_001, 3), span(2_000_000_000, 5, 1)]
      await one.store.keepAssigned(keyOf(uid), spans)
      await one.store.keepAssigned(keyOf('018bcfe5-6800-8000-8000-000000999999'), spans)
      assert.deepEqual((await one.store.get('c1', uid))?.assigned, spans)
      const again = await one.reopen()
      assert.deepEqual((await again.get('c1', uid))?.assigned, spans)
      const newest = await put(again, payloadOf(2))
      const many = Array.from({ length: 2_000 }, (_, at) => span(at + 1, 1_700_000_000_000, 1))
      await again.keepAssigned(keyOf(newest), many)
      assert.deepEqual((await again.get('c1', newest))?.assigned, many)
      assert.equal(
        await again.get('c1', uid),
        undefined,
        'the oldest went, as there are too many bytes',
      )
    },
  )

  check(
    'listUnsettled() tells payloads without an outcome, the oldest first',
    async ({ store }) => {
      const uids: string[] = []
      for (let number = 0; number < 4; number += 1) uids.push(await put(store, payloadOf(number)))
      await store.settle(keyOf(uids[1]), outcomeOf(1))
      const open = [uids[0], uids[2], uids[3]].map((uid) => keyOf(uid))
      assert.deepEqual(await store.listUnsettled(undefined, 10), open)
      assert.deepEqual(await store.listUnsettled(undefined, 2), open.slice(0, 2))
      assert.deepEqual(await store.listUnsettled(uids[0], 10), open.slice(1))
    },
  )

  check('settle() of a payload that is not kept keeps nothing', async ({ store }) => {
    const uid = await put(store, payloadOf(1))
    await store.deleteOf('c1')
    await store.settle(keyOf(uid), outcomeOf(1))
    await store.settle(keyOf('00000000-0000-0000-0000-000000000000'), outcomeOf(1))
    assert.deepEqual(await store.list('c1', FIRST), { payloads: [], totalCount: 0 })
  })
}

function checkBounds(check: Check): void {
  check('the newest of each connector are kept, and no more than the bound', async (one) => {
    const uids: string[] = []
    for (let number = 0; number < MANY; number += 1) {
      const { uid, landed } = one.store.put(payloadOf(number))
      uids.push(uid)
      if (number % 7 === 0) await landed
    }
    const other = await put(one.store, payloadOf(0, { connectorUid: 'c2' }))
    await one.store.settle(keyOf(uids[MANY - 1]), outcomeOf(1))
    const newest = uids.slice(-CONTRACT_BOUNDS.countMax).reverse()
    for (const store of [one.store, await one.reopen()]) {
      const { payloads, totalCount } = await store.list('c1', FIRST)
      assert.deepEqual(
        payloads.map(({ uid }) => uid),
        newest,
      )
      assert.equal(totalCount, CONTRACT_BOUNDS.countMax)
      assert.equal(await store.get('c1', uids[0]), undefined)
      assert.ok((await store.get('c2', other)) !== undefined)
      assert.deepEqual((await store.list('c1', { start: 4, limit: 9 })).payloads.length, 1)
      assert.deepEqual((await store.list('c1', { start: 5, limit: 9 })).payloads, [])
    }
  })

  check('bodies together stay within their bound, but for the newest alone', async ({ store }) => {
    const long = 'x'.repeat(8_000)
    const uids: string[] = []
    for (let number = 0; number < 4; number += 1) {
      uids.push(await put(store, payloadOf(number, { body: long })))
    }
    assert.deepEqual(
      (await store.list('c1', FIRST)).payloads.map(({ uid }) => uid),
      [uids[3], uids[2]],
    )
    const huge = await put(store, payloadOf(9, { body: 'y'.repeat(50_000) }))
    assert.deepEqual(
      (await store.list('c1', FIRST)).payloads.map(({ uid }) => uid),
      [huge],
    )
    assert.equal((await store.get('c1', huge))?.body?.length, 50_000)
  })
}

function checkDeletion(check: Check): void {
  check('deleteOf() forgets one connector, which can be given payloads again', async (one) => {
    const uid = await put(one.store, payloadOf(1))
    await one.store.settle(keyOf(uid), outcomeOf(1))
    const other = await put(one.store, payloadOf(2, { connectorUid: 'c2' }))
    await one.store.deleteOf('c1')
    await one.store.deleteOf('unknown')
    assert.deepEqual(await one.store.list('c1', FIRST), { payloads: [], totalCount: 0 })
    assert.deepEqual(await one.store.listConnectors(), [{ orgUid: 'org', connectorUid: 'c2' }])
    const next = await put(one.store, payloadOf(3))
    const again = await one.reopen()
    assert.ok((await again.get('c1', next)) !== undefined)
    assert.ok((await again.get('c2', other)) !== undefined)
    assert.equal(await again.get('c1', uid), undefined)
  })
}
