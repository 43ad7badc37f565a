import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyCharacter, fc } from '../../../test/support/fast-check.ts'
import { TextColumn } from './text-columns.ts'

const text = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc.string({ unit: anyCharacter, maxLength: 6 }),
  fc.integer({ min: 250, max: 260 }).map((length) => 'ä'.repeat(length)),
)
const step = fc.record({ ref: fc.integer({ min: 1, max: 9 }), text })

test('TextColumn returns the texts it was given last, however long they are', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const column = new TextColumn()
      const model = new Map<number, string>()
      for (const { ref, text: given } of steps) {
        column.set(ref, given)
        model.set(ref, given)
      }
      for (let ref = 0; ref <= 2_000; ref += ref < 10 ? 1 : 995) {
        const expected = model.get(ref) ?? ''
        assert.equal(column.textOf(ref), expected)
        assert.ok(column.has(ref, expected))
        assert.ok(!column.has(ref, `${expected}!`))
        assert.ok(!column.has(ref, `!${expected.slice(1)}`) || expected.startsWith('!'))
      }
    }),
  )
})

test('TextColumn keeps many texts apart, and those that follow deleted ones', () => {
  const column = new TextColumn()
  const textOf = (ref: number) => `${'x'.repeat(ref % 23)}${ref}`
  const count = 60_000
  for (let ref = 1; ref <= count; ref++) column.set(ref, textOf(ref))
  for (let ref = 1; ref <= count; ref += 3) column.set(ref, textOf(ref + 1))
  for (let ref = 2; ref <= count; ref += 3) column.delete(ref)
  for (let ref = 2; ref <= count; ref += 3) column.set(ref, textOf(ref + 5))
  for (let ref = 1; ref <= count; ref++) {
    assert.equal(column.textOf(ref), textOf(ref + [0, 1, 5][ref % 3]), String(ref))
  }
})
