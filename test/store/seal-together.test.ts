/** Segments that wait for the sealer are sealed in one pass, as if they were one. */
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { decodeChunk, encodeChunk } from '../../src/store/embedded/chunk/index.ts'
import { realDisk } from '../../src/store/embedded/disk/real-disk.ts'
import { type EmbeddedSampleStore, openSampleStore } from '../../src/store/embedded/index.ts'
import { segmentName, segmentNumberOf } from '../../src/store/embedded/journal/segment.ts'
import type { StoreMachine } from '../../src/store/embedded/samples/store-machine.ts'
import { ChunkTable } from '../../src/store/embedded/seal/chunk-table.ts'
import { openSamplesFile } from '../../src/store/embedded/seal/open-samples-file.ts'
import { SealerWork } from '../../src/store/embedded/seal/sealer-work.ts'
import { steppedMachine } from '../power/sim-machine.ts'
import { Random, roundsOf, testSeeds } from '../support/random.ts'
import { batch, read, stream } from '../support/samples.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { SampleModel } from './sample-model.ts'
import { SampleTrial } from './sample-trial.ts'

/** How often several segments were sealed in one pass. */
async function trySlowSealer(seed: number, textShare: number): Promise<number> {
  const folder = temporaryFolder()
  const random = new Random(seed)
  let store: EmbeddedSampleStore | undefined
  let together = 0
  const open = async () => {
    const machine = steppedMachine(realDisk, () => openSamplesFile(join(folder, 'samples.db')), {
      iterations: () => random.integer(1, 10_000),
      onSealed: ({ length }) => {
        if (length > 1) together += 1
      },
    })
    const segmentBytes = random.pick([4 * 1024, 16 * 1024])
    const backlogMax = random.pick([3, 7, 15])
    store = await openSampleStore({ folder, segmentBytes, backlogMax, machine })
    return store
  }
  const trial = new SampleTrial({ open, seal: async () => store?.sealAll() }, random, textShare)
  try {
    await trial.run(80)
  } finally {
    await trial.dispose()
  }
  return together
}

const TRIALS_MAX = 12

for (const seed of testSeeds(roundsOf(3))) {
  test(`a store whose sealer lags holds what the model holds (WEIR_TEST_SEED=${seed})`, async () => {
    let together = await trySlowSealer(seed, 0.05)
    together += await trySlowSealer(seed + 1, 0.6)
    // Whether segments wait depends on the disk, too.
    for (let more = 2; together === 0 && more < TRIALS_MAX; more += 1) {
      together += await trySlowSealer(seed + more, 0.6)
    }
    assert.ok(together > 0, 'segments were sealed together')
  })
}

function segmentsIn(folder: string): number[] {
  return readdirSync(join(folder, 'journal'))
    .map(segmentNumberOf)
    .filter((segment) => segment !== undefined)
    .sort((a, b) => a - b)
}

/** A machine on which nothing is ever sealed. */
function unsealing(): StoreMachine {
  return {
    ...steppedMachine(realDisk, () => assert.fail('nothing is sealed')),
    startSealer(_place, events) {
      queueMicrotask(() => events.onReply({ op: 'ready' }))
      return { send() {}, async close() {} }
    },
  }
}

/** More than are written in one transaction. */
const STREAMS = 2_000

/** Fills several segments with samples that write over each other, removals and streams that end. */
async function fillJournal(folder: string, random: Random): Promise<SampleModel> {
  openSamplesFile(join(folder, 'samples.db')).close()
  const machine = unsealing()
  const store = await openSampleStore({ folder, segmentBytes: 96 * 1024, backlogMax: 99, machine })
  const model = new SampleModel()
  const streams = new Set(Array.from({ length: STREAMS }, (_, index) => index + 1))
  for (let round = 0; round < 12; round += 1) {
    const rows = Array.from(streams, (handle) => {
      const value = random.next() < 0.01 ? `text ${round}` : round
      return [handle, random.integer(0, 20), value] as const
    })
    const cuts = Array.from({ length: 20 }, () => {
      const from = random.integer(0, 20)
      return [random.pick([...streams]), from, from + random.integer(1, 10)] as const
    })
    await store.append(batch(rows, cuts))
    for (const cut of cuts) model.remove(...cut)
    for (const row of rows) model.put(...row)
    const gone = random.pick([...streams])
    streams.delete(gone)
    await store.forget([stream(gone)])
    model.forget(gone)
  }
  await store.close()
  return model
}

async function checkAll(store: EmbeddedSampleStore, model: SampleModel): Promise<void> {
  for (let handle = 1; handle <= STREAMS; handle += 1) {
    assert.deepEqual(await read(store, handle), model.read(handle), `stream ${handle}`)
  }
}

/** Seals segments in one pass and stops after `streams` streams. Returns the number of committed rows. */
function sealUntil(folder: string, segments: readonly number[], streams: number): number {
  const db = openSamplesFile(join(folder, 'samples.db'))
  let left = streams
  const isStopping = () => {
    left -= 1
    return left < 0
  }
  const parts = { db, disk: realDisk, journalFolder: join(folder, 'journal'), isStopping }
  const work = new SealerWork(parts)
  assert.deepEqual(work.follow({ op: 'seal', segments, watched: [] }), { op: 'stopped' })
  const { rows } = db.prepare('SELECT count(*) AS rows FROM chunk').get() as { rows: number }
  work.close()
  return rows
}

for (const seed of testSeeds(roundsOf(3))) {
  test(`a pass that is cut half way is repeated by any other (WEIR_TEST_SEED=${seed})`, async () => {
    const folder = temporaryFolder()
    const random = new Random(seed)
    const model = await fillJournal(folder, random)
    const segments = segmentsIn(folder)
    assert.ok(segments.length >= 5, `${segments.length} segments`)
    for (let cut = 0; cut < 3; cut += 1) {
      const together = segments.slice(0, random.integer(2, segments.length + 1))
      assert.ok(sealUntil(folder, together, random.integer(1_600, STREAMS - 100)) > 1_000)
    }
    const backlogMax = random.pick([0, 3, 15])
    const store = await openSampleStore({ folder, segmentBytes: 96 * 1024, backlogMax })
    await checkAll(store, model)
    await store.sealAll()
    await checkAll(store, model)
    await store.close()
    const again = await openSampleStore({ folder, segmentBytes: 96 * 1024 })
    await checkAll(again, model)
    assert.deepEqual(again.status().damages, [])
    await again.close()
  })
}

test('sealed segments that a crash left behind are reported as sealed, and the others are sealed next', async () => {
  const folder = temporaryFolder()
  const model = await fillJournal(folder, new Random(1))
  const db = openSamplesFile(join(folder, 'samples.db'))
  const journalFolder = join(folder, 'journal')
  const unlinked: string[] = []
  const disk = { ...realDisk, unlink: (path: string) => unlinked.push(path) }
  const work = new SealerWork({ db, disk, journalFolder, isStopping: () => false })
  const seal = (...segments: number[]) => work.follow({ op: 'seal', segments, watched: [] })
  assert.deepEqual(seal(1, 2), { op: 'sealed', segments: [1, 2], damages: [] })
  assert.deepEqual(seal(1, 2, 3), { op: 'sealed', segments: [1, 2], damages: [] })
  assert.equal(unlinked.length, 4)
  assert.deepEqual(seal(3, 4), { op: 'sealed', segments: [3, 4], damages: [] })
  work.close()
  const store = await openSampleStore({ folder })
  await checkAll(store, model)
  await store.close()
})

test('samples that read back differently are reported with their segment, and earlier segments are sealed', async (context) => {
  const folder = temporaryFolder()
  openSamplesFile(join(folder, 'samples.db')).close()
  const machine = unsealing()
  const store = await openSampleStore({ folder, segmentBytes: 4 * 1024, backlogMax: 99, machine })
  // Each fills a segment; texts are all read back.
  const rowsOf = (handle: number) =>
    Array.from({ length: 120 }, (_, time) => [handle, time, `text ${time}`] as const)
  for (const handle of [1, 2, 3, 4]) await store.append(batch(rowsOf(handle)))
  await store.close()
  const [first, second, third, fourth] = segmentsIn(folder)
  const insert = ChunkTable.prototype.insert
  const broken = context.mock.method(
    ChunkTable.prototype,
    'insert',
    function (this: ChunkTable, ...[handle, level, row]: Parameters<ChunkTable['insert']>) {
      if (handle !== 3) return insert.call(this, handle, level, row)
      const columns = decodeChunk(row.data)
      columns.times[0] -= 1
      const data = encodeChunk(columns, { stream: handle, isRun: true })
      return insert.call(this, handle, level, { ...row, data })
    },
  )
  const db = openSamplesFile(join(folder, 'samples.db'))
  const journalFolder = join(folder, 'journal')
  const work = new SealerWork({ db, disk: realDisk, journalFolder, isStopping: () => false })
  const seal = (...asked: number[]) => work.follow({ op: 'seal', segments: asked, watched: [] })
  const sealed = (...reported: number[]) => ({ op: 'sealed', segments: reported, damages: [] })
  assert.deepEqual(seal(first, second, third, fourth), sealed(first))
  assert.deepEqual(seal(second, third, fourth), sealed(second))
  const failed = seal(third, fourth)
  assert.ok(failed.op === 'failed' && failed.passing === undefined)
  assert.deepEqual(
    failed.damages.map(({ damage }) => damage.file),
    [segmentName(third)],
  )
  broken.mock.restore()
  assert.deepEqual(seal(third, fourth), sealed(third, fourth))
  work.close()
  const again = await openSampleStore({ folder })
  for (const handle of [1, 2, 3, 4]) {
    assert.deepEqual(
      await read(again, handle),
      rowsOf(handle).map(([, time, text]) => [time, text]),
    )
  }
  await again.close()
})
