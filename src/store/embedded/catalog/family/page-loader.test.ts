import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyCharacter, fc } from '../../../../../test/support/fast-check.ts'
import { familyHeadOf } from '../../../../base/index.ts'
import type { IndexRow } from '../../../catalog-port.ts'
import { CHECK_DIGITS, type PackedDocument, packPage } from './family-page.ts'
import type { WalkedPage } from './family-walk-table.ts'
import { indexRowOf } from './index-row-of.ts'
import { PageLoader, type PageReceiver } from './page-loader.ts'
import { Shape, takeApart } from './shape.ts'

const id = fc.oneof(
  fc.string(),
  fc.string({ unit: anyCharacter }).map((text) => text.toWellFormed()),
  fc.constantFrom('', '"', '\\', 'a"],[', '\\"', 'Zürich', '\u0000', '\u2028'),
)
/** A document as it is taken apart: its index ends with its ID, or not, or it has no ID. */
const document = fc
  .record({
    ...{ id, hasId: fc.boolean(), isOpen: fc.boolean(), number: fc.nat(3) },
    ...{ revision: fc.integer({ min: 1, max: 3 }), time: fc.maxSafeNat() },
  })
  .map(({ id: given, hasId, isOpen, number, revision, time }): PackedDocument => {
    const index = isOpen ? `UTC\n${given}` : 'other'
    const body = { ...(hasId ? { id: given } : {}), createdAt: time, note: 'ü"' }
    const apart = takeApart({ kind: 'component', listKey: `/${given}`, index, body })
    assert.ok(apart !== undefined)
    const shape = { number, shape: new Shape(apart.shape) }
    return { shape, id: apart.id, numbers: apart.numbers, revision }
  })
const member = fc.record({
  ...{ document, ordinalStep: fc.integer({ min: 1, max: 300 }), handle: fc.nat(2 ** 31) },
})

test('PageLoader tells the same of bytes as of the page that they were packed from', () => {
  const tails = fc.constantFrom('0123456789', 'a7dcc1d3f4', 'ffffffffff', '8000000000')
  const heads = fc.option(document, { nil: undefined })
  const refs = fc.constantFrom(1, 888_510_323_507_200, Number.MAX_SAFE_INTEGER)
  fc.assert(
    fc.property(
      tails,
      refs,
      heads,
      fc.array(member, { maxLength: 5 }),
      (tail, ref, head, given) => {
        let ordinal = 0
        const members = given.map(({ document: one, ordinalStep, handle }) => {
          ordinal += ordinalStep
          return { ...one, ordinal, handle }
        })
        const place = { orgUid: 'org', ref, page: 0, listKey: null }
        const page: WalkedPage = {
          ...{ ...place, scope: 1, headUid: familyHeadOf(ref, tail), tail, head, members },
          hasOutsiders: false,
        }
        // Shapes that rows name by number are those of the documents that have them.
        const numbered = new Map(
          [...(head === undefined ? [] : [head]), ...members].map(({ shape }) => [
            shape.number,
            shape,
          ]),
        )
        const isPossible = [...(head === undefined ? [] : [head]), ...members].every(
          ({ shape }) =>
            shape.number === 0 || numbered.get(shape.number)?.shape.text === shape.shape.text,
        )
        fc.pre(isPossible)
        const loader = new PageLoader((number) => numbered.get(number) ?? assert.fail())
        const bytes = Buffer.from(`before${packPage(place, page)}after`)
        const from = 'before'.length + CHECK_DIGITS
        const until = bytes.length - 'after'.length
        for (const [hasHeads, hasMembers] of [
          [true, true],
          [true, false],
          [false, true],
        ]) {
          const rowsOf = (load: (receiver: PageReceiver) => void): IndexRow[] => {
            const rows: IndexRow[] = []
            load({ hasHeads, hasMembers, onRow: (row) => rows.push(indexRowOf(row)) })
            return rows
          }
          const told = rowsOf((receiver) => loader.loadPage(page, receiver))
          const at = { orgUid: 'org', ref, bytes, from, until }
          assert.deepEqual(
            rowsOf((receiver) => loader.loadBytes(at, receiver)),
            told,
          )
          const expected = [
            ...(hasHeads && head !== undefined ? [head] : []),
            ...(hasMembers ? members : []),
          ]
          assert.deepEqual(
            told.map(({ index }) => index),
            expected.map(({ shape: { shape }, id: own }) => shape.indexOf(own)),
          )
        }
      },
    ),
  )
})
