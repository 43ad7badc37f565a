/** Rows of samples.db whose columns are wrong, though their samples check: nothing is hidden, and the row is repaired. */
import assert from 'node:assert/strict'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, test } from 'node:test'
import { openSampleStore } from '../../src/store/embedded/index.ts'
import type { ScrubFinding } from '../../src/store/index.ts'
import { isNightly, testSeeds } from '../support/random.ts'
import { batch, read, stream } from '../support/samples.ts'

const STREAM = 5
const OTHERS = [4, 6, 7]
const SEGMENT_BYTES = 64 * 1024
/** More than runs have: a chunk of each stream. */
const COUNT = 1_000
const ROWS = 'SELECT id, stream, level, start, last, count FROM chunk ORDER BY id'

const root = mkdtempSync(join(tmpdir(), 'weir-wrong-columns-'))
const template = join(root, 'template')
after(() => rmSync(root, { recursive: true, force: true }))

const samplesOf = (one: number): Array<[number, number]> =>
  Array.from({ length: COUNT }, (_, at) => [at * 10, one + at / 8])

before(async () => {
  const store = await openSampleStore({ folder: template, segmentBytes: SEGMENT_BYTES })
  for (const one of [STREAM, ...OTHERS]) {
    await store.append(batch(samplesOf(one).map(([time, value]) => [one, time, value])))
  }
  await store.sealAll()
  await store.close()
})

function rowsOf(folder: string): unknown[] {
  using db = new DatabaseSync(join(folder, 'samples.db'))
  return db.prepare(ROWS).all()
}

/** A copy of the template with a row changed, in its table and, by default, in the index. */
function spoiled(name: string, sql: string, { isInIndex = true } = {}): string {
  const folder = join(root, name)
  cpSync(template, folder, { recursive: true })
  const file = join(folder, 'samples.db')
  if (isInIndex) {
    using db = new DatabaseSync(file)
    db.exec(sql)
    return folder
  }
  const index = `name = 'chunk_by_start'`
  const change = (work: (db: DatabaseSync) => void): void => {
    using db = new DatabaseSync(file)
    db.enableDefensive(false)
    db.exec('PRAGMA writable_schema = ON')
    work(db)
    const { schema_version: version } = db.prepare('PRAGMA schema_version').get() ?? {}
    db.exec(`PRAGMA schema_version = ${Number(version) + 1}`)
  }
  change((db) => {
    db.exec(`CREATE TABLE kept AS SELECT * FROM sqlite_schema WHERE ${index}`)
    db.exec(`DELETE FROM sqlite_schema WHERE ${index}`)
  })
  change((db) => db.exec(sql))
  change((db) => db.exec('INSERT INTO sqlite_schema SELECT * FROM kept; DROP TABLE kept'))
  return folder
}

async function scrub(store: Awaited<ReturnType<typeof openSampleStore>>): Promise<ScrubFinding[]> {
  const findings: ScrubFinding[] = []
  await store.scrub({
    mayGoOn: async () => true,
    onChecked: () => {},
    onDamage: (finding) => findings.push(finding),
  })
  return findings
}

const set = (columns: string) => `UPDATE chunk SET ${columns} WHERE stream = ${STREAM}`
const WRONG: Record<string, string> = {
  count: set('count = count + 1'),
  start: set('start = start + 64'),
  'a start after the last': set('start = last + 1000'),
  last: set('last = last - 4096'),
  stream: set('stream = 6'),
  'a stream that has nothing': set('stream = 300'),
  level: set('level = 0'),
  'a number beyond 53 bits': set('start = 1 << 60'),
}

for (const [what, sql] of Object.entries(WRONG)) {
  test(`a row with a wrong column (${what}) hides no samples, and a read repairs it`, async (context) => {
    const folder = spoiled(`read-${what}`.replaceAll(' ', '-'), sql)
    const store = await openSampleStore({ folder, segmentBytes: SEGMENT_BYTES })
    context.after(() => store.close())
    for (const one of [STREAM, ...OTHERS]) {
      assert.deepEqual(await read(store, one), samplesOf(one))
      const [latest] = await store.latest([stream(one)])
      assert.deepEqual([latest?.time, latest?.value], samplesOf(one).at(-1))
    }
    const { count } = await store.fold(stream(STREAM), Float64Array.of(0, COUNT * 10))
    assert.deepEqual([...count], [COUNT])
    await store.append(batch([[STREAM, 1e6, 1]]))
    await store.sealAll()
    assert.equal((await read(store, STREAM)).length, COUNT + 1)
    assert.deepEqual(await scrub(store), [])
    const damages = store.status().damages.map(({ file }) => file)
    assert.deepEqual(new Set(damages), new Set(['samples.db.chunk_by_start']))
  })
}

const [SEED] = testSeeds(1)

/** Half of the wrong columns, the others in the other place; nightly all. */
function someWrong(isInIndex: boolean): [what: string, sql: string][] {
  const rest = (SEED + Number(isInIndex)) % 2
  return Object.entries(WRONG).filter((_, at) => isNightly || at % 2 === rest)
}

for (const isInIndex of [true, false]) {
  const where = isInIndex ? 'table and index' : 'the table alone'
  test(`a scrub repairs rows with wrong columns in ${where} (WEIR_TEST_SEED=${SEED})`, async () => {
    for (const [what, sql] of someWrong(isInIndex)) {
      const folder = spoiled(`scrub-${isInIndex}-${what}`.replaceAll(' ', '-'), sql, { isInIndex })
      const store = await openSampleStore({ folder, segmentBytes: SEGMENT_BYTES })
      const [finding] = await scrub(store)
      assert.match(finding.what, new RegExp(`stream ${STREAM} gives row \\d wrong columns`), what)
      assert.deepEqual(await scrub(store), [], what)
      assert.deepEqual(await read(store, STREAM), samplesOf(STREAM), what)
      await store.close()
      assert.deepEqual(rowsOf(folder), rowsOf(template), what)
    }
  })
}

test('a seal repairs a row with a wrong column that it meets', async () => {
  const folder = spoiled('seal', WRONG.stream)
  const store = await openSampleStore({ folder, segmentBytes: SEGMENT_BYTES })
  await store.append(
    batch(Array.from({ length: 1_000 }, (_, at) => [STREAM, 1e6 + at, at] as const)),
  )
  await store.sealAll()
  assert.equal((await read(store, STREAM)).length, COUNT + 1_000)
  assert.deepEqual(await read(store, 6), samplesOf(6))
  assert.deepEqual(await scrub(store), [])
  await store.close()
})

test('a row with a wrong column is repaired while another stream has lost a row', async () => {
  const folder = spoiled('lost', `${WRONG.count}; DELETE FROM chunk WHERE stream = 7`)
  const store = await openSampleStore({ folder, segmentBytes: SEGMENT_BYTES })
  assert.deepEqual(await read(store, STREAM), samplesOf(STREAM))
  const span = { from: 0, until: COUNT * 10 }
  assert.deepEqual(await read(store, STREAM, span), samplesOf(STREAM))
  assert.deepEqual(await read(store, 7), [])
  const findings = await scrub(store)
  assert.deepEqual(
    findings.map(({ handle }) => handle),
    [7],
  )
  await store.close()
})
