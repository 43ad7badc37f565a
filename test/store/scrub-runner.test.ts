import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createLog, epochMs, ManualClock, nextIteration } from '../../src/base/index.ts'
import { openCatalogStore } from '../../src/store/embedded/index.ts'
import {
  type CatalogStore,
  type Damage,
  KnownDamage,
  type Scrubbable,
  type ScrubFinding,
  ScrubRunner,
  type StreamHandle,
} from '../../src/store/index.ts'

const STREAM = 5 as StreamHandle
const PLACE = { orgUid: 'o', uid: 's', id: 'S', componentUid: 'c', componentId: 'C' }

interface Bench {
  readonly catalog: CatalogStore
  readonly clock: ManualClock
  readonly damage: KnownDamage
  readonly lines: string[]
  open(...scrubs: Scrubbable['scrub'][]): Promise<ScrubRunner>
}

async function withBench(body: (bench: Bench) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'weir-scrub-'))
  const clock = new ManualClock(Date.UTC(2026, 0, 1))
  const catalog = await openCatalogStore({ folder, clock })
  const lines: string[] = []
  const log = createLog({ level: 'debug', destination: { write: (line) => lines.push(line) } })
  const damage = new KnownDamage()
  const places = {
    placeOf: (handle: StreamHandle) => (handle === STREAM ? PLACE : undefined),
    handleOf: ({ uid }: { uid: string }) => (uid === PLACE.uid ? STREAM : undefined),
  }
  const open = (...scrubs: Scrubbable['scrub'][]) =>
    ScrubRunner.open({
      catalog,
      clock,
      damage,
      log,
      places,
      holder: 'here',
      parts: scrubs.map((scrub) => ({ name: 'samples', store: { scrub } })),
      onFailure: (error) => assert.fail(String(error)),
    })
  try {
    await body({ catalog, clock, damage, lines, open })
  } finally {
    await catalog.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

function finding(from: number): ScrubFinding {
  const until = epochMs(from + 1)
  return { part: 'samples', what: 'made up', handle: STREAM, from: epochMs(from), until }
}

test('a pass counts what was read and forgets damage that it does not find again', async () => {
  await withBench(async ({ damage, open }) => {
    damage.note(finding(1))
    damage.note(finding(2))
    const runner = await open(async (round) => {
      round.onChecked(3, 100)
      assert.equal(await round.mayGoOn(), true)
      round.onChecked(1, 50)
      round.onDamage(finding(2))
      damage.note(finding(3))
    })
    await runner.checkNow()
    assert.deepEqual(damage.list(), [finding(2), finding(3)])
    const { last, passCount, failure, running } = runner.state
    assert.deepEqual([last?.items, last?.bytes, passCount], [4, 150, 1])
    assert.deepEqual([failure, running], [undefined, undefined])
    assert.deepEqual(runner.checkedTotal, { items: 4, bytes: 150 })
  })
})

test('what a pass found is known after a restart, by the stream and not by its handle', async () => {
  await withBench(async ({ catalog, damage, open }) => {
    const runner = await open(async (round) => round.onDamage(finding(9)))
    await runner.checkNow()
    const kept = await catalog.get({ orgUid: '', kind: 'scrub', uid: 'last' })
    assert.match(JSON.stringify(kept?.body), /"streamUid":"s"/)
    damage.settle(damage.begin())
    assert.deepEqual(damage.list(), [])
    const again = await open(async () => {})
    assert.deepEqual(damage.list(), [finding(9)])
    assert.equal(damage.foundTotal('samples'), 1, 'not counted again')
    assert.equal(again.state.last?.time, runner.state.last?.time)
  })
})

test('a part that cannot be read to its end is damage, and the parts after it are read', async () => {
  await withBench(async ({ damage, open }) => {
    let isRead = false
    const runner = await open(
      async () => {
        throw new Error('the disk is gone')
      },
      async () => {
        isRead = true
      },
    )
    await runner.checkNow()
    assert.equal(isRead, true)
    assert.match(damage.list()[0].what, /could not be read to its end: the disk is gone/)
  })
})

test('one pass runs at a time: a second caller waits for the same one', async () => {
  await withBench(async ({ open }) => {
    const gate = Promise.withResolvers<void>()
    let passes = 0
    const runner = await open(async () => {
      passes += 1
      await gate.promise
    })
    const weekly = runner.runIfDue()
    const asked = [runner.checkNow(), runner.checkNow()]
    assert.notEqual(runner.state.running, undefined)
    gate.resolve()
    await Promise.all([weekly, ...asked])
    assert.equal(passes, 1)
    assert.deepEqual([runner.state.passCount, runner.state.failure], [1, undefined])
  })
})

test('a caller speeds up a pass that pauses between steps', async () => {
  await withBench(async ({ clock, open }) => {
    const begun = Promise.withResolvers<void>()
    let steps = 0
    const runner = await open(async (round) => {
      for (; steps < 10_000 && (await round.mayGoOn()); steps += 1) {
        // Each step seems long, so that each is followed by a long rest.
        clock.advance(1_000)
        begun.resolve()
      }
    })
    const weekly = runner.runIfDue()
    await begun.promise
    await runner.checkNow()
    await weekly
    assert.deepEqual([steps, runner.state.passCount], [10_000, 1])
  })
})

test('close() ends a pass, which then counts for nothing', async () => {
  await withBench(async ({ catalog, clock, damage, open }) => {
    damage.note(finding(1))
    const begun = Promise.withResolvers<void>()
    const runner = await open(async (round) => {
      begun.resolve()
      while (await round.mayGoOn()) {
        clock.advance(10)
        await nextIteration()
      }
    })
    const asked = runner.checkNow()
    await begun.promise
    await runner.close()
    await asked
    assert.equal(runner.state.passCount, 0)
    assert.match(runner.state.failure ?? '', /ended before it was through/)
    assert.deepEqual(damage.list(), [finding(1)])
    assert.equal(await catalog.get({ orgUid: '', kind: 'scrub', uid: 'last' }), undefined)
  })
})

test('a pass does not begin while another process is at it, and ends when it loses its lease', async () => {
  await withBench(async ({ catalog, clock, open }) => {
    const lease = await catalog.acquireLease('scrub', 'elsewhere', 60_000)
    assert.ok(lease)
    let steps = 0
    const runner = await open(async (round) => {
      while (await round.mayGoOn()) {
        steps += 1
        // Longer than a lease lasts: someone else may take it.
        clock.advance(70_000)
        await catalog.acquireLease('scrub', 'elsewhere', 60_000)
      }
    })
    await runner.checkNow()
    assert.equal(steps, 0)
    assert.match(runner.state.failure ?? '', /another process/)
    await catalog.releaseLease(lease)
    await runner.checkNow()
    assert.equal(steps, 1)
    assert.equal(runner.state.passCount, 0)
  })
})

test('a broken disk fills neither the log nor the memory', async () => {
  await withBench(async ({ damage, lines, open }) => {
    const runner = await open(async (round) => {
      for (let from = 0; from < 3_000; from += 1) round.onDamage(finding(from))
    })
    await runner.checkNow()
    assert.equal(damage.list().length, 1_000)
    assert.equal(damage.foundTotal('samples'), 3_000)
    assert.equal(lines.filter((line) => line.includes('a scrub found damage')).length, 100)
  })
})

test('KnownDamage reports files in quarantine once, and no deleted streams', () => {
  const damage = new KnownDamage()
  const set: Damage = {
    file: 'samples.db',
    offset: 7,
    bytes: 9,
    what: 'a chunk',
    handles: [STREAM],
    from: epochMs(1),
    until: epochMs(2),
  }
  const frame = { ...set, file: 'journal-1.seg', handles: [] }
  let isLiving = true
  damage.attach({ setAside: () => [set, frame], isLiving: () => isLiving })
  damage.note({ ...finding(1), what: 'the same in other words' })
  assert.deepEqual(
    damage.list().map(({ part, handle }) => [part, handle]),
    [
      ['samples', STREAM],
      ['journal', undefined],
    ],
  )
  isLiving = false
  assert.deepEqual(
    damage.list().map(({ part }) => part),
    ['journal'],
  )
})
