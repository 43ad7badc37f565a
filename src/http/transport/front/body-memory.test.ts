import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MemoryBudget } from '../../../base/index.ts'
import { BodyMemory, FRONT_BODY_BYTES_MAX } from './body-memory.ts'

test('take() gives at least the bytes asked for, and the same buffer again once it came back', () => {
  const memory = new BodyMemory(new MemoryBudget(1e9))
  const first = memory.take(FRONT_BODY_BYTES_MAX + 1)
  assert.ok(first !== undefined && first.length > FRONT_BODY_BYTES_MAX)
  const second = memory.take(FRONT_BODY_BYTES_MAX + 1)
  assert.notEqual(second?.buffer, first.buffer)
  memory.give(first)
  assert.equal(memory.take(first.length)?.buffer, first.buffer)
})

test('take() refuses beyond its bound, and goes on when something came back', () => {
  const memory = new BodyMemory(new MemoryBudget(1e9))
  const taken: Buffer[] = []
  for (let buffer = memory.take(100_000); buffer !== undefined; buffer = memory.take(100_000)) {
    taken.push(buffer)
  }
  const bytes = taken.reduce((sum, buffer) => sum + buffer.length, 0)
  assert.ok(bytes <= 64 * 1024 * 1024, String(bytes))
  assert.equal(new Set(taken.map((buffer) => buffer.buffer)).size, taken.length)
  memory.give(taken[0])
  assert.notEqual(memory.take(100_000), undefined)
  assert.equal(memory.take(100_000), undefined)
})

test('take() asks the memory budget, and gives back to it', () => {
  const budget = new MemoryBudget(3_200_000)
  const little = new BodyMemory(budget)
  const taken = little.take(100_000)
  assert.ok(taken !== undefined)
  assert.equal(budget.figures.usedBytes, taken.length)
  assert.equal(little.take(100_000), undefined)
  little.give(taken)
  assert.equal(budget.figures.usedBytes, 0)
  assert.notEqual(little.take(100_000), undefined)
})
