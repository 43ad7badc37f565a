import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type TSchema, Type as TypeBox } from 'typebox'
import { Compile } from 'typebox/compile'
import { fc } from '../../../test/support/fast-check.ts'
import { roundsOf } from '../../../test/support/random.ts'
import { fitsSchema, requireCheckable, schemaErrors } from './schema-errors.ts'
import { Type } from './schema-type.ts'

const names = fc.constantFrom('a', 'b', 'id', 'constructor')

/** Schemas of all that is checked, as TypeBox makes them. */
const { schema: schemas } = fc.letrec<{ schema: TSchema }>((tie) => ({
  schema: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom(TypeBox.String(), TypeBox.Boolean(), TypeBox.Null(), TypeBox.Number()),
    fc
      .tuple(fc.integer({ min: -3, max: 3 }), fc.integer({ min: -3, max: 3 }))
      .map(([one, other]) =>
        TypeBox.Integer({ minimum: Math.min(one, other), maximum: Math.max(one, other) }),
      ),
    fc.constantFrom(TypeBox.Enum(['x', 'y', '']), TypeBox.Literal('x'), TypeBox.Literal(2)),
    fc
      .tuple(tie('schema'), fc.nat(3))
      .map(([items, maxItems]) => TypeBox.Array(items, { maxItems })),
    fc.array(tie('schema'), { minLength: 1, maxLength: 3 }).map((parts) => TypeBox.Union(parts)),
    fc
      .dictionary(names, fc.tuple(tie('schema'), fc.boolean()), { maxKeys: 3 })
      .map((fields) =>
        TypeBox.Object(
          Object.fromEntries(
            Object.entries(fields).map(([name, [field, isOptional]]) => [
              name,
              isOptional ? TypeBox.Optional(field) : field,
            ]),
          ),
        ),
      ),
  ),
}))

const { value: values } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom<unknown>('x', '', 'z', true, null, 2, 0.5, -4, 1e300, Number.NaN, undefined),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(names, tie('value'), { maxKeys: 4 }),
  ),
}))

/** Mostly what fits, so that errors lie deep, with something else put somewhere. */
function nearly(schema: TSchema): fc.Arbitrary<unknown> {
  const { type, properties, items, anyOf, minimum } = schema as Record<string, never>
  const own = (): fc.Arbitrary<unknown> => {
    if (anyOf !== undefined) return fc.oneof(...(anyOf as TSchema[]).map(nearly))
    if (type === 'array') return fc.array(nearly(items), { maxLength: 4 })
    if (type === 'object') {
      const fields = Object.entries<TSchema>(properties)
      return fc.record(Object.fromEntries(fields.map(([name, field]) => [name, nearly(field)])))
    }
    if ('const' in schema) return fc.constant(schema.const)
    if ('enum' in schema) return fc.constant('y')
    if (type === 'integer') return fc.constant(minimum)
    const plain = { string: 'x', boolean: true, null: null, number: 0.5 }
    return fc.constant(plain[type as keyof typeof plain])
  }
  return fc.oneof({ weight: 12, arbitrary: own() }, { weight: 1, arbitrary: values })
}

test('schemaErrors() reports the errors that TypeBox reports', () => {
  const pairs = schemas.chain((schema) => fc.tuple(fc.constant(schema), nearly(schema)))
  fc.assert(
    fc.property(pairs, ([schema, value]) => {
      const oracle = Compile(schema)
      assert.equal(fitsSchema(schema, value), oracle.Check(value))
      const errors = schemaErrors(schema, value).map(({ path, message }) => [path, message])
      const expected = oracle.Errors(value).map((error) => [error.instancePath, error.message])
      // TypeBox reports bounds of a list and unions in an order of its own; a message is made of those at one place.
      assert.deepEqual(errors.sort(), expected.sort())
    }),
    { numRuns: roundsOf(2_000) },
  )
})

test('requireCheckable() refuses a keyword that nobody would look at', () => {
  const nested = Type.Object({ list: Type.Array(Type.Union([Type.String({ minLength: 1 })])) })
  assert.throws(() => requireCheckable(nested), /minLength of a schema is not checked/)
  requireCheckable(Type.Object({ at: Type.Optional(Type.Integer({ format: 'int64' })) }))
})
