/**
 * Makes JSON schemas that carry their TypeScript type. The types are TypeBox's; its code, which can do far more than this
 * service asks for, was 680 of the 2,100 modules that a start loaded.
 */
import type { Type as TypeBox } from 'typebox'

type Schema = Readonly<Record<string, unknown>>

/** Marks a property that may be left out; not to be seen in the schema itself. */
const OPTIONAL = Symbol('optional')
/** What JSON schema calls a key of any text. */
const ANY_KEY = '^.*$'

const plain =
  (type: string) =>
  (options: Schema = {}): Schema => ({ type, ...options })

function objectOf(properties: Readonly<Record<string, Schema>>, options: Schema = {}): Schema {
  const required = Object.keys(properties).filter((name) => !(OPTIONAL in properties[name]))
  return { type: 'object', ...(required.length > 0 && { required }), properties, ...options }
}

function optional(schema: Schema): Schema {
  return Object.defineProperty({ ...schema }, OPTIONAL, { value: true })
}

const builders = {
  String: plain('string'),
  Integer: plain('integer'),
  Number: plain('number'),
  Boolean: plain('boolean'),
  Null: plain('null'),
  Literal: (value: unknown, options: Schema = {}) => ({
    type: typeof value,
    const: value,
    ...options,
  }),
  Enum: (values: readonly unknown[], options: Schema = {}) => ({ enum: values, ...options }),
  Array: (items: Schema, options: Schema = {}) => ({ type: 'array', items, ...options }),
  Object: objectOf,
  Record: (_key: Schema, value: Schema, options: Schema = {}) => ({
    type: 'object',
    patternProperties: { [ANY_KEY]: value },
    ...options,
  }),
  Union: (anyOf: readonly Schema[], options: Schema = {}) => ({ anyOf, ...options }),
  Optional: optional,
  /** A schema as it is written, for a type that is named with it. */
  Unsafe: (schema: Schema) => ({ ...schema }),
}

/** What TypeBox names the same, as far as it is used here. */
export const Type = builders as unknown as Pick<typeof TypeBox, keyof typeof builders>
