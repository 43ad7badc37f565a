import assert from 'node:assert/strict'
import { test } from 'node:test'
import { epochMs } from '../../base/index.ts'
import {
  IncomingSamples,
  OpenTargets,
  VALUE_NULL,
  VALUE_NUMBER,
  VALUE_TEXT,
} from '../../feed/index.ts'
import { chooseChanged } from './changed-rows.ts'

type Sample = readonly [cid: string, id: string, time: number, value: number | string | null]

function samplesOf(rows: readonly Sample[]): IncomingSamples {
  const samples = new IncomingSamples()
  const targets = new OpenTargets(samples)
  for (const [index, [cid, id, time, value]] of rows.entries()) {
    targets.addById(cid, id, index)
    const kind = value === null ? VALUE_NULL : typeof value === 'number' ? VALUE_NUMBER : VALUE_TEXT
    const number = typeof value === 'number' ? value : 0
    samples.add(0, time, { kind, number, text: typeof value === 'string' ? value : undefined })
  }
  return samples
}

/** What is left, in the order it came. */
function shown(samples: IncomingSamples): Sample[] {
  const rows: Sample[] = []
  for (const { compId = '', streamId = '', samples: indexes } of samples.open) {
    for (const index of indexes) {
      const number = samples.kinds[index] === VALUE_NUMBER ? samples.numbers[index] : null
      rows[index] = [compId, streamId, samples.times[index], samples.texts?.[index] ?? number]
    }
  }
  return rows
}

const NOW = epochMs(1_000_000)

test('chooseChanged() takes everything of a first import but what repeats the value before it', async () => {
  const rows: Sample[] = [
    ['c', 'a', 1, 5],
    ['c', 'a', 2, 5],
    ['c', 'a', 3, 6],
    ['c', 'a', 4, 5],
  ]
  const chosen = await chooseChanged(samplesOf(rows), new Map(), NOW)
  assert.deepEqual(shown(chosen.samples), [rows[0], rows[2], rows[3]])
  assert.equal(chosen.rowsIngested, 3)
  assert.equal(chosen.rowsSkipped, 1)
  const again = await chooseChanged(samplesOf([['c', 'a', 9, 5]]), chosen.imported, NOW)
  assert.equal(again.rowsSkipped, 1)
  assert.equal(again.samples.count, 0)
  assert.deepEqual(again.samples.open, [])
})

test('chooseChanged() takes a row of several streams as a whole', async () => {
  const first = await chooseChanged(
    samplesOf([
      ['c', 'a', 1, 1],
      ['c', 'b', 1, 2],
    ]),
    new Map(),
    NOW,
  )
  const rows: Sample[] = [
    ['c', 'a', 2, 1],
    ['c', 'b', 2, 3],
    ['d', 'a', 2, 1],
    ['c', 'a', 3, 1],
    ['c', 'b', 3, 3],
  ]
  const chosen = await chooseChanged(samplesOf(rows), first.imported, NOW)
  assert.deepEqual(shown(chosen.samples), rows.slice(0, 3))
  assert.equal(chosen.rowsSkipped, 1)
})

test('chooseChanged() goes by time, whatever the order, and tells texts, numbers and NULL apart', async () => {
  const rows: Sample[] = [
    ['c', 'a', 3, 7],
    ['c', 'a', 1, 7],
    ['c', 'a', 2, 8],
    ['c', 't', 1, '7'],
    ['c', 't', 2, null],
    ['c', 't', 3, 'x'.repeat(500)],
    ['c', 't', 4, 'x'.repeat(500)],
  ]
  const chosen = await chooseChanged(samplesOf(rows), new Map(), NOW)
  assert.deepEqual(shown(chosen.samples), rows.slice(0, 6))
  const unlike = await chooseChanged(samplesOf([['c', 'a', 9, '7']]), chosen.imported, NOW)
  assert.equal(unlike.rowsSkipped, 0)
})

test('chooseChanged() gives samples without a time that of the run, and of two the later one counts', async () => {
  const rows: Sample[] = [
    ['c', 'a', Number.NaN, 1],
    ['c', 'a', Number.NaN, 2],
  ]
  const chosen = await chooseChanged(samplesOf(rows), new Map(), NOW)
  assert.equal(chosen.rowsIngested, 1)
  const again = await chooseChanged(samplesOf([['c', 'a', 5, 2]]), chosen.imported, NOW)
  assert.equal(again.rowsSkipped, 1)
})
