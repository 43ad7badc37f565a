import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readAhead } from './read-ahead.ts'

/** Reads that end when a test lets them. */
class Reads {
  readonly begun: number[] = []
  readonly ends = new Map<number, PromiseWithResolvers<string>>()
  readonly read = (row: number): Promise<string> => {
    this.begun.push(row)
    const end = Promise.withResolvers<string>()
    this.ends.set(row, end)
    return end.promise
  }

  end(row: number): void {
    this.ends.get(row)?.resolve(`read ${row}`)
  }
}

const rows = Array.from({ length: 100 }, (_, at) => at)
const isSmall = () => true

test('readAhead() reads some rows at once, and hands them on in order', async () => {
  const reads = new Reads()
  const found = readAhead(rows, { isShared: true, isSmall, read: reads.read })
  const first = found.next()
  assert.deepEqual(reads.begun, rows.slice(0, 64))
  for (const row of rows.slice(0, 64).reverse()) reads.end(row)
  assert.deepEqual((await first).value, [0, 'read 0'])
  assert.deepEqual((await found.next()).value, [1, 'read 1'])
  assert.deepEqual(reads.begun, rows.slice(0, 65))
  await found.return(undefined)
  assert.equal(reads.begun.length, 65)
})

test('readAhead() reads what is not small at its turn, and everything where the store is not shared', async () => {
  for (const isShared of [true, false]) {
    const reads = new Reads()
    const small = (row: number) => isShared && row % 2 === 0
    const found = readAhead([0, 1, 2, 3], { isShared, isSmall: small, read: reads.read })
    const first = found.next()
    assert.deepEqual(reads.begun, isShared ? [0, 2] : [0])
    reads.end(0)
    await first
    const second = found.next()
    assert.deepEqual(reads.begun, isShared ? [0, 2, 1] : [0, 1])
    reads.end(1)
    assert.deepEqual((await second).value, [1, 'read 1'])
  }
})

test('readAhead() fails at the turn of the row that failed', async () => {
  const reads = new Reads()
  const found = readAhead([0, 1], { isShared: true, isSmall, read: reads.read })
  const first = found.next()
  reads.ends.get(1)?.reject(new Error('no nodes'))
  reads.end(0)
  assert.deepEqual((await first).value, [0, 'read 0'])
  await assert.rejects(found.next(), /no nodes/)
})
