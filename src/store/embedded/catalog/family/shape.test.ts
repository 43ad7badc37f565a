import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyCharacter, fc } from '../../../../../test/support/fast-check.ts'
import { roundsOf } from '../../../../../test/support/random.ts'
import type { JsonObject } from '../../../catalog-port.ts'
import { localClaimsOf, Shape, takeApart } from './shape.ts'
import { ShapeTaker } from './shape-taker.ts'

const HEAD = '01890000-0000-8000-8000-000000000000'

const taker = new ShapeTaker()

function check(fields: {
  id?: string
  listKey: string
  index: string
  claims: string[]
  more: JsonObject
}): void {
  const { id, listKey, index, claims, more } = fields
  const body: JsonObject = id === undefined ? more : { id, ...more }
  const put = { kind: 'stream', parentUid: HEAD, listKey, index, claims, body }
  const apart = takeApart(put)
  assert.ok(apart !== undefined)
  // Twice after itself: the second time it is expected.
  for (const _ of [1, 2, 3]) assert.deepEqual(taker.take(put), apart)
  const other = { ...put, body: { ...body, id: `${id}-2`, at: 1_700_000_000_000 } }
  assert.deepEqual(taker.take(other), takeApart(other))
  const shape = new Shape(apart.shape)
  assert.equal(shape.jsonOf(apart.id, apart.numbers), JSON.stringify(body))
  assert.equal(shape.listKeyOf(apart.id), listKey.toWellFormed())
  assert.equal(shape.indexOf(apart.id), index.toWellFormed())
  const expected = [...new Set(claims.map((claim) => claim.toWellFormed()))]
  assert.deepEqual(shape.claimsOf(apart.id, HEAD), expected)
  const bytes = Buffer.byteLength(listKey.toWellFormed()) + Buffer.byteLength(JSON.stringify(body))
  assert.equal(shape.bytesOf(apart.id, apart.numbers), bytes + 8)
  const local = shape.localClaimsOf(apart.id).map((text) => localClaimsOf(HEAD) + text)
  assert.deepEqual([...local, ...shape.wideClaimsOf(apart.id)].sort(), expected.sort())
}

test('what takeApart() took apart a Shape puts together again, whatever texts hold', () => {
  const text = fc.string({ unit: anyCharacter, maxLength: 8 })
  const id = fc.option(text, { nil: undefined })
  const number = fc.oneof(fc.integer(), fc.maxSafeInteger(), fc.double({ noNaN: true }))
  const value = fc.oneof(text, number, fc.constant(null), fc.jsonValue() as fc.Arbitrary<never>)
  const more = fc.dictionary(text, value, { maxKeys: 4 })
  const scenario = fc.property(
    id,
    text,
    text,
    fc.array(text, { maxLength: 3 }),
    more,
    (...given) => {
      const [one, listKey, index, claims, fields] = given
      const { id: _, ...rest } = fields as JsonObject
      const tail = one ?? ''
      check({ id: one, listKey: listKey + tail, index, claims, more: rest })
      const named = claims.map((claim, at) => (at === 0 ? `${localClaimsOf(HEAD)}${tail}` : claim))
      check({ id: one, listKey, index: `${index}\n${tail}`, claims: named, more: rest })
    },
  )
  fc.assert(scenario, { numRuns: roundsOf(500) })
})

test('streams of a fleet that differ by device have one shape', () => {
  const shapes = new Set<string | undefined>()
  for (let device = 0; device < 3; device++) {
    const parentUid = `0189000${device}-0000-8000-8000-000000000000`
    const id = `device-${device}-t`
    shapes.add(
      takeApart({
        ...{ kind: 'stream', parentUid, listKey: '0000000', index: `0a0\n\n${id}` },
        ...{ claims: [`${localClaimsOf(parentUid)}${id}`] },
        body: { id, valueType: 'DOUBLE', creationDate: 1_700_000_000_000 + device },
      })?.shape,
    )
  }
  assert.equal(shapes.size, 1)
})

test('ShapeTaker tells apart what differs in one field only, though it expected another', () => {
  const streams = new ShapeTaker()
  const parentUid = HEAD
  const base = { id: 't', valueType: 'DOUBLE', note: { a: 1 }, creationDate: 1_700_000_000_000 }
  const put = (more: object, body: object = {}) => ({
    ...{ kind: 'stream', parentUid, listKey: '0', index: 'x t', claims: [`stream_id:${HEAD}:t`] },
    ...{ body: { ...base, ...body } as JsonObject, ...more },
  })
  const all = [
    ...[put({}), put({}), put({}, { creationDate: 5 }), put({}, { note: { a: 2 } })],
    ...[put({}, { valueType: 'STRING' }), put({}, { more: null }), put({ listKey: 't' })],
    ...[put({ listKey: '0t' }), put({ index: 'y t' }), put({ index: 'x tt' }), put({ claims: [] })],
    ...[put({ claims: ['stream_id:t'] }), put({ claims: [`stream_id:${HEAD}:u`] })],
    ...[
      put({ kind: 'component' }),
      put({}, { id: 'u' }),
      put({}, { id: 7 }),
      put({}, { id: '\ud800' }),
    ],
    put({ parentUid: '01890000-0000-8000-9000-000000000000' }),
  ]
  for (const one of all) {
    for (const two of all) {
      for (const each of [one, one, two, one, two]) {
        const [quick, plain] = [streams.take(each), takeApart(each)]
        assert.ok(quick !== undefined && plain !== undefined)
        const show = ({ shape, id, numbers }: typeof plain) => [
          new Shape(shape).jsonOf(id, numbers),
          new Shape(shape).listKeyOf(id),
          new Shape(shape).indexOf(id),
          new Shape(shape).claimsOf(id, each.parentUid),
        ]
        assert.deepEqual(show(quick), show(plain))
      }
    }
  }
})
