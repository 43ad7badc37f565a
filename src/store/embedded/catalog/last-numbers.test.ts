import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { differingNumbers, LastNumbers } from './last-numbers.ts'

/** A transaction that gives numbers, and commits them or comes to nothing. */
function give(numbers: LastNumbers, handles: number, isCommitted = true): number {
  const first = numbers.takeHandles(handles)
  numbers.takeComponents(1)
  if (!isCommitted) {
    numbers.forget()
    return first
  }
  numbers.write()
  numbers.settle()
  return first
}

function open(): DatabaseSync {
  const db = new DatabaseSync(':memory:')
  db.exec('CREATE TABLE meta (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID')
  return db
}

test('numbers go on after a stop, and above all that were given after a kill', () => {
  const db = open()
  const first = new LastNumbers(db)
  assert.equal(give(first, 10), 1)
  assert.equal(give(first, 5_000), 11)
  assert.equal(give(first, 7), 5_011)
  assert.equal(differingNumbers(db), undefined)
  // Nothing was written at an end.
  const second = new LastNumbers(db)
  const next = give(second, 1)
  assert.ok(next > 5_017, `${next} was given before`)
  second.writeExactly()
  const third = new LastNumbers(db)
  assert.equal(give(third, 1), next + 1)
  assert.equal(differingNumbers(db), undefined)
})

test('transactions that come to nothing use up no numbers', () => {
  const numbers = new LastNumbers(open())
  assert.equal(give(numbers, 3), 1)
  for (let round = 0; round < 10; round++) assert.equal(give(numbers, 2_000, false), 4)
  assert.equal(give(numbers, 1), 4)
})

test('a step that comes to nothing gives its numbers back', () => {
  const numbers = new LastNumbers(open())
  const before = numbers.remember()
  numbers.takeHandles(20)
  numbers.goBack(before)
  assert.equal(give(numbers, 1), 1)
})
