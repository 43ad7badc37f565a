import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RecentMoves } from './recent-moves.ts'

test('RecentMoves knows what was moved after a generation, until it is too long ago', () => {
  const moves = new RecentMoves()
  moves.note({ generation: 1, stream: 5, component: 0 })
  moves.note({ generation: 2, stream: 0, component: 9 })
  assert.deepEqual([...(moves.since(0)?.streams ?? [])], [5, 0])
  assert.deepEqual([...(moves.since(1)?.components ?? [])], [9])
  assert.equal(moves.since(2)?.streams.size, 0)
  for (let generation = 3; generation < 5_000; generation++) {
    moves.note({ generation, stream: generation, component: 0 })
  }
  assert.equal(moves.since(2), undefined)
  assert.deepEqual(moves.since(4_998)?.streams, new Set([4_999]))
})
