import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findMutations } from '../../tools/mutate/find-mutations.ts'

function mutants(text: string): string[] {
  return findMutations(text).map(
    ({ from, until, replacement }) => text.slice(0, from) + replacement + text.slice(until),
  )
}

test('findMutations() inverts conditions and moves bounds', () => {
  assert.deepEqual(mutants('if (a < b) c = d'), ['if (!(a < b)) c = d', 'if (a <= b) c = d'])
  assert.deepEqual(mutants('x = a ? b : c'), ['x = !(a) ? b : c'])
  assert.deepEqual(mutants('x = a === b'), ['x = a !== b'])
})

test('findMutations() changes constants', () => {
  assert.deepEqual(mutants('const x = 9'), ['const x = 10'])
  assert.deepEqual(mutants('const x = true'), ['const x = false'])
})

test('findMutations() drops calls, but none that only logs', () => {
  assert.deepEqual(mutants('close()'), [';'])
  assert.deepEqual(mutants('await this.#store.close()'), [';'])
  assert.deepEqual(mutants('log.warn(x)'), [])
  assert.deepEqual(mutants('this.#log.info({ x })'), [])
})

test('findMutations() leaves types and texts alone', () => {
  assert.deepEqual(mutants("type A = 1 | 2\nconst x: 3 = y as 4\nimport { z } from 'z'"), [])
  assert.deepEqual(mutants("const text = 'a < b'"), [])
})
