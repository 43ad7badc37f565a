import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { Random, testSeeds } from '../../../test/support/random.ts'
import {
  IncomingSamples,
  OpenTargets,
  VALUE_NULL,
  VALUE_NUMBER,
  VALUE_TEXT,
} from '../../feed/index.ts'
import { type ImportedValues, judgeRows, RowCounter } from './changed-rows.ts'
import { GatheredSamples } from './gathered-samples.ts'
import { RunStreams } from './run-streams.ts'
import type { StreamForm } from './stream-forms.ts'

type Sample = readonly [cid: string, id: string, time: number, value: number | string | null]

function samplesOf(rows: readonly Sample[], from: number): IncomingSamples {
  const samples = new IncomingSamples()
  samples.runs = [{ from: -from, name: 'the INSERT' }]
  const targets = new OpenTargets(samples)
  for (const [index, [cid, id, time, value]] of rows.entries()) {
    targets.addById(cid, id, index)
    const kind = value === null ? VALUE_NULL : typeof value === 'number' ? VALUE_NUMBER : VALUE_TEXT
    const number = typeof value === 'number' ? value : 0
    samples.add(0, time, { kind, number, text: typeof value === 'string' ? value : undefined })
  }
  return samples
}

/** What is left of rows that come in stretches of some, in the order in which they are stored. */
async function chooseChanged(
  rows: readonly Sample[],
  known: ImportedValues,
  { stretch = 2, form = INTERVALS }: { stretch?: number; form?: StreamForm } = {},
) {
  const folder = mkdtempSync(join(tmpdir(), 'weir-changed-'))
  const streams = new RunStreams()
  const samples = await GatheredSamples.open(folder, streams, NOW)
  try {
    for (let from = 0; from < rows.length; from += stretch) {
      await samples.add(samplesOf(rows.slice(from, from + stretch), from))
    }
    const judged = await judgeRows(samples, streams, { known, forms: { of: () => form } })
    const counter = new RowCounter()
    const kept: Sample[] = []
    await samples.each((block, at) => {
      const { compId, streamId, number } = streams.list[block.streams[at]]
      const row = counter.rowOf(streams.componentOf[number], samples.timeOf(block, at))
      if (!judged.isChanged(row)) return
      const plain = block.kinds[at] === VALUE_NUMBER ? block.numbers[at] : null
      const value = block.kinds[at] === VALUE_TEXT ? (block.texts?.[at] ?? '') : plain
      kept.push([compId, streamId, block.times[at], value])
    })
    return { ...judged, kept }
  } finally {
    await samples.close()
    rmSync(folder, { recursive: true })
  }
}

const NOW = 1_000_000
const INTERVALS: StreamForm = { isMissing: false, keepsNull: true, values: 'any' }

test('everything of a first import is taken but what repeats the value before it', async () => {
  const rows: Sample[] = [
    ['c', 'a', 1, 5],
    ['c', 'a', 2, 5],
    ['c', 'a', 3, 6],
    ['c', 'a', 4, 5],
  ]
  const chosen = await chooseChanged(rows, new Map())
  assert.deepEqual(chosen.kept, [rows[0], rows[2], rows[3]])
  assert.equal(chosen.rowsIngested, 3)
  assert.equal(chosen.rowsSkipped, 1)
  const again = await chooseChanged([['c', 'a', 9, 5]], chosen.imported)
  assert.equal(again.rowsSkipped, 1)
  assert.deepEqual(again.kept, [])
})

test('a row of several streams is taken as a whole', async () => {
  const first = await chooseChanged(
    [
      ['c', 'a', 1, 1],
      ['c', 'b', 1, 2],
    ],
    new Map(),
  )
  const rows: Sample[] = [
    ['c', 'a', 2, 1],
    ['c', 'b', 2, 3],
    ['d', 'a', 2, 1],
    ['c', 'a', 3, 1],
    ['c', 'b', 3, 3],
  ]
  const chosen = await chooseChanged(rows, first.imported)
  assert.deepEqual(chosen.kept, rows.slice(0, 3))
  assert.equal(chosen.rowsSkipped, 1)
})

test('rows go by time, whatever the order; texts, numbers and NULL are distinguished', async () => {
  const rows: Sample[] = [
    ['c', 'a', 3, 7],
    ['c', 'a', 1, 7],
    ['c', 'a', 2, 8],
    ['c', 't', 1, '7'],
    ['c', 't', 2, null],
    ['c', 't', 3, 'x'.repeat(500)],
    ['c', 't', 4, 'x'.repeat(500)],
  ]
  const chosen = await chooseChanged(rows, new Map())
  const inOrder = [rows[1], rows[3], rows[2], rows[4], rows[0], rows[5]]
  assert.deepEqual(chosen.kept, inOrder)
  const unlike = await chooseChanged([['c', 'a', 9, '7']], chosen.imported)
  assert.equal(unlike.rowsSkipped, 0)
})

test('samples without a time have that of the run, and of two the later one counts', async () => {
  const rows: Sample[] = [
    ['c', 'a', Number.NaN, 1],
    ['c', 'a', Number.NaN, 2],
  ]
  const chosen = await chooseChanged(rows, new Map())
  assert.equal(chosen.rowsIngested, 1)
  assert.deepEqual(chosen.kept, rows)
  const again = await chooseChanged([['c', 'a', 5, 2]], chosen.imported)
  assert.equal(again.rowsSkipped, 1)
})

test('a NULL that a stream leaves out neither changes a row nor what is remembered', async () => {
  const form: StreamForm = { isMissing: false, keepsNull: false, values: 'any' }
  const rows: Sample[] = [
    ['c', 'a', 1, 5],
    ['c', 'b', 1, 7],
    ['c', 'a', 2, 5],
    ['c', 'b', 2, null],
    ['c', 'a', 3, 5],
    ['c', 'b', 3, 7],
    ['c', 'b', 4, null],
  ]
  const chosen = await chooseChanged(rows, new Map(), { form })
  assert.deepEqual(chosen.kept, rows.slice(0, 2))
  assert.equal(chosen.rowsSkipped, 3)
  const nothing: Sample[] = [
    ['d', 'a', 1, null],
    ['d', 'a', 2, null],
  ]
  const making = await chooseChanged(nothing, new Map(), { form: { ...form, isMissing: true } })
  assert.deepEqual(making.kept, nothing.slice(0, 1))
  assert.equal(making.imported.size, 0)
})

test('values are compared as their stream keeps them', async () => {
  const compare = async (values: StreamForm['values'], a: number | string, b: number | string) => {
    const form = { ...INTERVALS, values }
    const rows: Sample[] = [
      ['c', 'a', 1, a],
      ['c', 'a', 2, b],
    ]
    return (await chooseChanged(rows, new Map(), { form })).rowsSkipped === 1
  }
  assert.ok(await compare('numbers', '1', '1.0'))
  assert.ok(await compare('numbers', '1e3', 1000))
  assert.ok(await compare('texts', 1, '1'))
  assert.ok(!(await compare('texts', '1', '1.0')))
  assert.ok(!(await compare('numbers', '9007199254740993', '9007199254740992')))
  assert.ok(!(await compare('any', '1', 1)))
})

const seeds = testSeeds(5)
for (const seed of seeds) {
  test(`however rows are cut into stretches, the same is left (WEIR_TEST_SEED=${seed})`, async () => {
    const random = new Random(seed)
    const rows = Array.from({ length: 3_000 }, (): Sample => {
      const time = random.integer(0, 20) === 0 ? Number.NaN : random.integer(0, 200)
      return [`c${random.integer(0, 4)}`, `s${random.integer(0, 3)}`, time, random.integer(0, 3)]
    })
    const whole = await chooseChanged(rows, new Map(), { stretch: rows.length })
    const cut = await chooseChanged(rows, new Map(), { stretch: 1 + random.integer(0, 400) })
    assert.deepEqual(cut.kept, whole.kept)
    assert.deepEqual(cut.imported, whole.imported)
    assert.equal(cut.rowsSkipped, whole.rowsSkipped)
    assert.ok(whole.rowsSkipped > 0)
  })
}
