import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  areOf,
  labelsOf,
  mistakeIn,
  newRow,
  rowsOf,
} from '../../studio/src/pages/build/fields/label-rows.ts'
import { fc } from '../support/fast-check.ts'

const text = fc.constantFrom('', 'site', 'room', '__proto__', 'constructor', '2', '10')
const pairs = fc.array(fc.tuple(text, text), { maxLength: 8 })

test('rows of labels give the same labels, whatever they are called', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.tuple(fc.string({ minLength: 1 }), fc.string()), {
        selector: ([name]) => name,
      }),
      (given) => {
        const labels = Object.fromEntries(given)
        const rows = rowsOf(labels)
        assert.deepEqual(labelsOf(rows), labels)
        assert.ok(areOf(rows, labels))
        assert.ok(rows.every((row) => mistakeIn(rows, row) === undefined))
      },
    ),
  )
})

test('rows without a mistake lose nothing that was typed, and each name has one mistake less than rows', () => {
  fc.assert(
    fc.property(pairs, (typed) => {
      const rows = typed.map(([name, value]) => newRow(name, value))
      const mistakes = rows.filter((row) => mistakeIn(rows, row) !== undefined)
      const filled = typed.filter(([name, value]) => name !== '' || value !== '')
      const named = new Set(filled.flatMap(([name]) => (name === '' ? [] : [name])))
      assert.equal(mistakes.length, filled.length - named.size)
      if (mistakes.length > 0) return
      assert.deepEqual(
        Object.entries(labelsOf(rows)).sort(),
        filled.map(([name, value]) => [name, value]).sort(),
      )
      assert.ok(areOf(rows, labelsOf(rows)))
      assert.ok(!areOf([...rows, newRow('new', 'x')], labelsOf(rows)))
    }),
  )
})
