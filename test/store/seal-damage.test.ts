/** Sealing when samples.db, or the codec, does not give back what it was given. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { Refusal } from '../../src/base/index.ts'
import { decodeChunk, encodeChunk } from '../../src/store/embedded/chunk/index.ts'
import { realDisk } from '../../src/store/embedded/disk/real-disk.ts'
import { type EmbeddedSampleStore, openSampleStore } from '../../src/store/embedded/index.ts'
import { RUN_LEVEL } from '../../src/store/embedded/rows/chunk-row.ts'
import { ChunkTable } from '../../src/store/embedded/seal/chunk-table.ts'
import { openSamplesFile } from '../../src/store/embedded/seal/open-samples-file.ts'
import type { Removal } from '../../src/store/index.ts'
import { batch, read } from '../contract/sample-store-contract.ts'
import { steppedMachine } from '../power/sim-machine.ts'

const SEGMENT_BYTES = 16 * 1024
const STREAMS = Array.from({ length: 16 }, (_, index) => index + 1)

async function openStepped(context: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'weir-seal-damage-'))
  const reported: string[] = []
  const machine = () => steppedMachine(realDisk, () => openSamplesFile(join(folder, 'samples.db')))
  const open = () =>
    openSampleStore({
      folder,
      segmentBytes: SEGMENT_BYTES,
      machine: machine(),
      onDamage: (damage) => reported.push(damage.what),
    })
  let current = await open()
  context.after(async () => {
    await current.close()
    rmSync(folder, { recursive: true })
  })
  const reopen = async () => {
    await current.close()
    current = await open()
    return current
  }
  const segments = () =>
    readdirSync(join(folder, 'journal')).filter((name) => name.endsWith('.seg'))
  return { folder, store: current, reopen, reported, segments }
}

/** Appends a sample to each stream; its value is its time. */
async function fill(store: EmbeddedSampleStore, from: number, until: number): Promise<void> {
  for (let time = from; time < until; time += 1) {
    await store.append(batch(STREAMS.map((stream) => [stream, time, time] as const)))
  }
}

async function counts(store: EmbeddedSampleStore): Promise<number[]> {
  return await Promise.all(STREAMS.map(async (stream) => (await read(store, stream)).length))
}

/** Packs chunks that check and yet hold another last number, as a mistake in the codec would. */
function breakCodec(context: TestContext): { restore(): void } {
  const insert = ChunkTable.prototype.insert
  const broken = context.mock.method(
    ChunkTable.prototype,
    'insert',
    function (this: ChunkTable, ...[stream, level, row]: Parameters<ChunkTable['insert']>) {
      const columns = decodeChunk(row.data)
      columns.numbers[columns.count - 1] += 1
      const data = encodeChunk(columns, { stream, isRun: level === RUN_LEVEL })
      return insert.call(this, stream, level, { ...row, data })
    },
  )
  return { restore: () => broken.mock.restore() }
}

test('samples that read back differently are reported, stay in the journal, and are served from it', async (context) => {
  const { folder, store, reopen, reported, segments } = await openStepped(context)
  await fill(store, 0, 100)
  await store.sealAll()
  const codec = breakCodec(context)
  await fill(store, 100, 130)
  await assert.rejects(store.sealAll(), /come back changed/)
  assert.equal(reported.length, 1)
  assert.match(reported[0], /^\d+ samples of stream \d+ come back changed .* segment is kept/)
  const [damage] = store.status().damages
  assert.ok(segments().includes(damage.file))
  assert.equal(readdirSync(join(folder, 'quarantine')).length, 2)
  for (const stream of STREAMS) {
    const expected = Array.from({ length: 130 }, (_, time) => [time, time])
    assert.deepEqual(await read(store, stream), expected, `stream ${stream}`)
  }
  // Appends go on until the backlog is full; sealing is not tried over and over.
  let stored = 130
  const refused = await (async () => {
    for (;;) {
      try {
        await fill(store, stored, stored + 1)
        stored += 1
      } catch (error) {
        return error
      }
    }
  })()
  assert.ok(refused instanceof Refusal && refused.code === 'read_only')
  assert.match(store.status().readOnlyReason ?? '', /come back changed/)
  assert.equal(reported.length, 1)
  codec.restore()
  const later = await reopen()
  assert.deepEqual(
    await counts(later),
    STREAMS.map(() => stored),
  )
  await later.sealAll()
  assert.deepEqual(
    await counts(later),
    STREAMS.map(() => stored),
  )
  assert.equal(segments().length <= 2, true)
  const whole = await reopen()
  for (const stream of STREAMS) {
    const samples = await read(whole, stream)
    assert.ok(samples.every(([time, value]) => time === value))
  }
})

test('a removal whose rewritten run comes back changed leaves the run as it was', async (context) => {
  const { store, reopen, reported } = await openStepped(context)
  await store.append(
    batch([
      [1, 1000, 'one'],
      [1, 2000, 'two'],
      [1, 3000, 'three'],
    ]),
  )
  await store.sealAll()
  const update = ChunkTable.prototype.update
  const broken = context.mock.method(
    ChunkTable.prototype,
    'update',
    function (this: ChunkTable, ...[found, row]: Parameters<ChunkTable['update']>) {
      const data = row.data.slice()
      data[data.length >> 1] ^= 4
      update.call(this, found, { ...row, data })
    },
  )
  await store.remove({ handle: 1, from: 1000, until: 1001 } as Removal)
  await assert.rejects(store.sealAll(), /come back changed/)
  assert.equal(reported.length, 1)
  const kept = [
    [2000, 'two'],
    [3000, 'three'],
  ]
  assert.deepEqual(await read(store, 1), kept)
  broken.mock.restore()
  const later = await reopen()
  await later.sealAll()
  assert.deepEqual(await read(later, 1), kept)
})

const TIMES = [1_700_000_000_123, 1_700_000_000_456, 1_700_000_000_789]

/** Changes pages of samples.db while nobody has it open. */
function changePages(
  folder: string,
  object: 'chunk' | 'chunk_by_start' | 'sqlite_sequence',
  change: (page: Buffer) => void,
): void {
  const file = join(folder, 'samples.db')
  const db = new DatabaseSync(file)
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  const { rootpage } = db
    .prepare('SELECT rootpage FROM sqlite_schema WHERE name = ?')
    .get(object) as { rootpage: number }
  const { page_size: size } = db.prepare('PRAGMA page_size').get() as { page_size: number }
  db.close()
  const bytes = readFileSync(file)
  change(bytes.subarray((rootpage - 1) * size, rootpage * size))
  writeFileSync(file, bytes)
}

/** Two sealed runs in two streams, one of which the next seal has to look for. */
async function openSealed(context: TestContext) {
  const home = await openStepped(context)
  await home.store.append(batch(TIMES.map((time) => [1, time, 'sealed'] as const)))
  await home.store.append(batch(TIMES.map((time) => [2, time, 'other'] as const)))
  await home.store.sealAll()
  await home.store.close()
  return home
}

test('a seal that finds the index at odds with the rows builds it again, and says so', async (context) => {
  const { folder, reopen, reported } = await openSealed(context)
  changePages(folder, 'chunk_by_start', (page) => {
    const start = Buffer.alloc(6)
    start.writeUIntBE(TIMES[0], 0, 6)
    const at = page.indexOf(start)
    assert.ok(at >= 0)
    page[at + 5] ^= 1
    // Of both streams, whichever came first.
    const other = page.indexOf(start)
    assert.ok(other >= 0)
    page[other + 5] ^= 1
  })
  const store = await reopen()
  await store.remove({ handle: 1, from: TIMES[1], until: TIMES[2] } as Removal)
  await store.append(batch([[2, TIMES[2] + 1, 'later']]))
  await store.sealAll()
  assert.ok(
    reported.some((what) => what.includes('was built again')),
    reported.join(),
  )
  const later = await reopen()
  const kept = [TIMES[0], TIMES[2]].map((time) => [time, 'sealed'])
  assert.deepEqual(await read(later, 1), kept)
  const all = [...TIMES.map((time) => [time, 'other']), [TIMES[2] + 1, 'later']]
  assert.deepEqual(await read(later, 2), all)
  const db = new DatabaseSync(join(folder, 'samples.db'), { readOnly: true })
  const { integrity_check: found } = db.prepare('PRAGMA integrity_check').get() as {
    integrity_check: string
  }
  db.close()
  // The pages of the index that was let go are no part of anything.
  const lines = found.split('\n').filter((line) => !/^\*\*\* in|never used$/.test(line))
  assert.deepEqual(lines, [])
})

test('a table without its first page is reported row by row, and sealing goes on', async (context) => {
  const { folder, reopen, reported } = await openSealed(context)
  changePages(folder, 'chunk', (page) => page.fill(0xff, 0, 8))
  const store = await reopen()
  await store.append(batch([[3, 5, 'kept']]))
  await store.sealAll()
  for (const lost of ['row 1 of table chunk', 'row 2 of table chunk', 'pages of table chunk']) {
    assert.ok(reported.join('\n').includes(lost), reported.join())
  }
  const noted = store.status().damages
  assert.deepEqual(noted.flatMap(({ handles }) => handles).sort(), [1, 2])
  const before = reported.length
  const later = await reopen()
  assert.deepEqual(await read(later, 1), [])
  await later.append(batch([[1, 5, 'after']]))
  await later.sealAll()
  assert.deepEqual(await read(later, 1), [[5, 'after']])
  assert.deepEqual(await read(later, 3), [[5, 'kept']])
  assert.equal(reported.length, before, 'known damage is reported once')
  const db = new DatabaseSync(join(folder, 'samples.db'), { readOnly: true })
  // An id of a lost row names nothing else.
  const { least } = db.prepare('SELECT min(id) AS least FROM chunk').get() as { least: number }
  db.close()
  assert.ok(least > 2)
})

test('the page that keeps the last id is made again', async (context) => {
  const { folder, reopen } = await openSealed(context)
  changePages(folder, 'sqlite_sequence', (page) => page.fill(0xff, 0, 8))
  const store = await reopen()
  await store.append(batch([[3, 5, 'kept']]))
  await store.sealAll()
  const later = await reopen()
  assert.deepEqual(await read(later, 3), [[5, 'kept']])
  const sealed = TIMES.map((time) => [time, 'sealed'])
  assert.deepEqual(await read(later, 1), sealed)
})

test('a list of unused pages that is damaged is reported and dropped; sealing goes on', async (context) => {
  const { folder, reopen, reported } = await openSealed(context)
  damageFreePages(folder)
  const store = await reopen()
  const long = randomBytes(100_000).toString('base64')
  await store.append(batch([[3, 5, long]]))
  await store.sealAll()
  assert.ok(
    reported.some((what) => what.startsWith('the list of unused pages')),
    reported.join(),
  )
  const later = await reopen()
  assert.deepEqual(await read(later, 3), [[5, long]])
  const sealed = TIMES.map((time) => [time, 'sealed'])
  assert.deepEqual(await read(later, 1), sealed)
})

test('consecutive damage is repaired and reported, one by one', async (context) => {
  const { folder, reopen, reported } = await openSealed(context)
  for (const round of [1, 2, 3]) {
    changePages(folder, 'chunk', (page) => page.fill(0xff, 0, 8))
    const store = await reopen()
    await store.append(batch([[3 + round, 5, 'kept']]))
    await store.sealAll()
    changePages(folder, 'sqlite_sequence', (page) => page.fill(0xff, 0, 8))
    await store.append(batch([[13 + round, 5, 'kept']]))
    await store.sealAll()
    assert.deepEqual(await read(store, 13 + round), [[5, 'kept']])
    await store.close()
  }
  assert.ok(
    reported.filter((what) => what.startsWith('pages of table chunk')).length >= 3,
    reported.join(),
  )
})

/** Makes unused pages and damages the list of them: no page can be taken into use. */
function damageFreePages(folder: string): void {
  const file = join(folder, 'samples.db')
  const db = new DatabaseSync(file)
  db.exec('CREATE TABLE filler (bytes BLOB); INSERT INTO filler VALUES (zeroblob(500000))')
  db.exec('DROP TABLE filler; PRAGMA wal_checkpoint(TRUNCATE)')
  db.close()
  const bytes = readFileSync(file)
  const pageBytes = bytes.readUInt16BE(16)
  const list = bytes.readUInt32BE(32)
  assert.ok(list > 0)
  bytes.fill(0xff, (list - 1) * pageBytes, (list - 1) * pageBytes + 8)
  writeFileSync(file, bytes)
}
