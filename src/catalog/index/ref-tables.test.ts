import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RefTables } from './ref-tables.ts'

function find(tables: RefTables, ref: number, hash: number): boolean {
  const table = tables.of(hash)
  const { cells } = table
  for (let at = table.homeOf(hash); cells[at] !== 0; at = table.after(at)) {
    if (cells[at] === ref && cells[at + 1] === hash) return true
  }
  return false
}

const hashOf = (ref: number) => Math.imul(ref, 0x9e3779b1) >>> 0

test('RefTables has what was added for later, before and after it is settled', () => {
  const tables = new RefTables()
  const count = 150_000
  tables.reserve(count)
  for (let ref = 1; ref <= count; ref++) {
    if (ref % 7 === 0) tables.add(ref, hashOf(ref))
    else tables.addLater(ref, hashOf(ref))
    if (ref % 999 === 0) assert.ok(find(tables, ref - 1, hashOf(ref - 1)), String(ref))
  }
  tables.delete(count, hashOf(count))
  tables.settle()
  tables.settle()
  for (let ref = 1; ref < count; ref++) assert.ok(find(tables, ref, hashOf(ref)), String(ref))
  assert.ok(!find(tables, count, hashOf(count)))
})
