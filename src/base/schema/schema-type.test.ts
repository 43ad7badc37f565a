import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Type as TypeBox } from 'typebox'
import { Type } from './schema-type.ts'

/** One schema with everything in it, as a builder writes it. */
function allOf(type: typeof Type): object {
  const options = { description: 'What it is', examples: [1] }
  return type.Object(
    {
      text: type.String(options),
      count: type.Integer({ minimum: 1, maximum: 5 }),
      share: type.Optional(type.Number(options)),
      isOn: type.Boolean(),
      none: type.Null(),
      one: type.Literal('one', options),
      two: type.Optional(type.Literal(2)),
      three: type.Optional(type.Enum(['a', 'b'], options)),
      list: type.Array(type.Object({}), { maxItems: 3 }),
      keys: type.Record(type.String(), type.Integer(), options),
      either: type.Union(
        [type.Null(), type.Object({ uid: type.Optional(type.String()) })],
        options,
      ),
      other: type.Optional(type.Unsafe<string>({ type: 'string', enum: ['x'] })),
    },
    { title: 'All' },
  )
}

test('Type writes the schemas that TypeBox does', () => {
  assert.equal(JSON.stringify(allOf(Type)), JSON.stringify(allOf(TypeBox)))
})

test('Type.Optional() leaves the schema that it is given as it was', () => {
  const name = Type.String()
  Type.Object({ name: Type.Optional(name) })
  assert.deepEqual(Type.Object({ name }).required, ['name'])
})
