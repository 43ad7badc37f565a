import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../test/support/fast-check.ts'
import { RefTable } from './ref-tables.ts'

/** Hashes that crowd together, at the start of the table and around its end. */
const hash = fc.constantFrom(0, 1, 2, 1_022, 1_023, 1_024, 2 ** 32 - 1, 2 ** 32 - 2)
const step = fc.record({
  isDelete: fc.boolean(),
  isLooked: fc.boolean(),
  ref: fc.integer({ min: 1, max: 12 }),
  hash,
})

function find(table: RefTable, ref: number, sought: number): boolean {
  const { cells } = table
  for (let at = table.homeOf(sought); cells[at] !== 0; at = table.after(at)) {
    if (cells[at] === ref && cells[at + 1] === sought) return true
  }
  return false
}

test('RefTable finds exactly what was added and not deleted, however hashes crowd', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      const table = new RefTable()
      const model = new Map<number, number>()
      for (const { isDelete, isLooked, ref, hash: given } of steps) {
        const known = model.get(ref)
        if (isDelete) {
          table.delete(ref, known ?? given)
          model.delete(ref)
        } else if (known === undefined) {
          table.add(ref, given)
          model.set(ref, given)
        }
        for (let each = 1; each <= 12 && isLooked; each++) {
          const expected = model.get(each)
          if (expected === undefined)
            assert.ok(table.cells.every((cell, at) => at % 2 === 1 || cell !== each))
          else assert.ok(find(table, each, expected), `${each} is lost`)
        }
      }
    }),
  )
})

test('RefTable finds what was added last, also when it grew meanwhile', () => {
  const table = new RefTable()
  for (let ref = 1; ref <= 3_000; ref++) {
    table.add(ref, ref * 7)
    if (ref % 511 === 0) assert.ok(find(table, ref, ref * 7), `${ref}`)
    if (ref % 700 === 0) table.reserve(ref)
  }
  for (let ref = 1; ref <= 3_000; ref++) assert.ok(find(table, ref, ref * 7), `${ref}`)
})

test('RefTable keeps everything when it grows', () => {
  const table = new RefTable()
  const hashOf = (ref: number) => Math.imul(ref % 977, 0x9e3779b1) >>> 0
  for (let ref = 1; ref <= 5_000; ref++) table.add(ref, hashOf(ref))
  for (let ref = 1; ref <= 5_000; ref += 2) table.delete(ref, hashOf(ref))
  for (let ref = 1; ref <= 5_000; ref++) {
    assert.equal(find(table, ref, hashOf(ref)), ref % 2 === 0, String(ref))
  }
})
