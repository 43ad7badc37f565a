import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { JsonObject } from '../../../catalog-port.ts'
import { localClaimsOf, Shape, takeApart } from './shape.ts'

const HEAD = '01890000-0000-8000-8000-000000000000'

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
  const text = fc.string({ unit: 'binary', maxLength: 8 })
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
  fc.assert(scenario, { numRuns: 500 })
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
