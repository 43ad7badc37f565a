import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Random, testSeeds } from '../../../test/support/random.ts'
import { CellReader, CellWriter, type RowCell } from './cell-codec.ts'
import { type InputBatch, readInputColumns, writeInputBatch } from './input-batch.ts'

const samples: readonly RowCell[] = [
  null,
  0n,
  -1n,
  2n ** 63n - 1n,
  -(2n ** 63n),
  0,
  -0,
  0.1,
  1e308,
  -5e-324,
  Infinity,

  '',
  'a',
  'component-17',
  'Überlänge',
  '水🌊',
  'x'.repeat(1_024),
  'ü'.repeat(5_000),
  '5',
  'null',
]

function written(write: (writer: CellWriter) => void): Buffer {
  const writer = new CellWriter(1)
  write(writer)
  return writer.take()
}

test('CellReader.rows() reads what CellWriter.cell() wrote, each cell with its type', () => {
  for (const seed of testSeeds(20)) {
    const random = new Random(seed)
    const columnCount = random.integer(1, 6)
    const rows = Array.from({ length: random.integer(0, 50) }, () =>
      Array.from({ length: columnCount }, () => random.pick(samples)),
    )
    const bytes = written((writer) => {
      rows.forEach((row, index) => {
        row.forEach((cell, column) => {
          writer.cell(cell, index === 0 ? undefined : rows[index - 1][column])
        })
      })
    })
    const read = new CellReader(bytes).rows(columnCount)
    assert.deepStrictEqual(read, rows, `seed ${seed}`)
  }
})

test('CellWriter keeps 0 and -0 apart, and makes a cell that repeats one byte', () => {
  const bytes = written((writer) => {
    writer.cell('a long text that repeats')
    const once = writer.length
    writer.cell('a long text that repeats', 'a long text that repeats')
    assert.equal(writer.length, once + 1)
    writer.cell(0)
    writer.cell(-0, 0)
  })
  const reader = new CellReader(bytes)
  const first = reader.cell()
  assert.equal(reader.cell(first), first)
  assert.ok(Object.is(reader.cell(), 0))
  assert.ok(Object.is(reader.cell(0), -0))
})

test('CellReader refuses bytes that end too early or mean nothing, and never reads beyond', () => {
  for (const seed of testSeeds(50)) {
    const random = new Random(seed)
    const whole = written((writer) => {
      for (let count = 0; count < 5; count += 1) writer.cell(random.pick(samples))
    })
    const cut = whole.subarray(0, random.integer(1, whole.length))
    assert.throws(
      () => {
        const reader = new CellReader(cut)
        for (let count = 0; count < 5; count += 1) reader.cell()
      },
      RangeError,
      `seed ${seed}`,
    )
  }
  assert.throws(() => new CellReader(Buffer.from([9])).cell(), RangeError)
  assert.throws(() => new CellReader(Buffer.from([4])).cell(), RangeError)
  assert.throws(() => new CellReader(Buffer.from([0])).rows(0), RangeError)
})

test('CellWriter.take() hands over bytes that later writes leave alone', () => {
  const writer = new CellWriter()
  for (const text of ['short', 'long'.repeat(5_000)]) {
    writer.cell(text)
    const taken = writer.take()
    writer.cell('something else that is written over it'.repeat(1_000))
    assert.equal(new CellReader(taken).cell(), text)
    writer.cut()
  }
})

test('readInputColumns() reads what writeInputBatch() wrote', () => {
  const batch: InputBatch = {
    rowCount: 3,
    columns: [
      { kind: 'reals', values: Float64Array.of(1.5, Number.NaN, -0) },
      { kind: 'integers', values: Float64Array.of(1_700_000_000_000, Number.NaN, -5) },
      { kind: 'cells', values: ['a', 'a', 7n] },
      { kind: 'constant', value: 'stream' },
    ],
  }
  const bytes = written((writer) => writeInputBatch(writer, batch))
  assert.deepStrictEqual(readInputColumns(new CellReader(bytes), 4), {
    rowCount: 3,
    columns: [
      [1.5, null, -0],
      [1_700_000_000_000n, null, -5n],
      ['a', 'a', 7n],
      ['stream', 'stream', 'stream'],
    ],
  })
  const none = written((writer) => writeInputBatch(writer, { rowCount: 7, columns: [] }))
  assert.deepEqual(readInputColumns(new CellReader(none), 0), { rowCount: 7, columns: [] })
})
