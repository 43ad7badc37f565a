/** Schemas of answers. They describe: what is sent is what the handlers return, not what is in here. */
import type { TObject, TProperties, TSchema } from 'typebox'
import { EARLIEST_TIME, TIME_END, Type } from '../../base/index.ts'

/** A schema that clients know by a name: with a title it becomes a component of the description. */
export function named<P extends TProperties>(
  title: string,
  properties: P,
  example?: object,
): TObject<P> {
  return Type.Object(properties, {
    title,
    ...(example === undefined ? {} : { examples: [example] }),
  })
}

/** Epoch milliseconds. */
export const msOf = (description: string) =>
  Type.Integer({ format: 'int64', description: `${description}, epoch milliseconds` })

/**
 * A time that a call gives. The description declares numbers: with texts beside them, generated
 * clients would need a union for every time.
 */
export const timeOf = (
  description: string,
  bounds: { readonly minimum?: number; readonly maximum?: number } = {},
) =>
  Type.Integer({
    format: 'int64',
    ...bounds,
    description: `${description}: epoch milliseconds or RFC 3339`,
  })

/** The times that samples may have. */
export const SAMPLE_TIMES = { minimum: Number(EARLIEST_TIME), maximum: TIME_END - 1 } as const

/** One of some words. */
export const oneOf = (words: readonly string[], description?: string) =>
  Type.Unsafe<string>({
    type: 'string',
    enum: [...words],
    ...(description === undefined ? {} : { description }),
  })

/** Something, or null. */
export const orNull = (schema: TSchema) => Type.Union([schema, Type.Null()])

/** What every call of a resource answers. */
interface ResourceAnswers {
  readonly one: TSchema
  readonly page: TSchema
  /** The answer to a deletion. */
  readonly gone: TSchema
}

/** A shown record of a UID, for examples. */
export const EXAMPLE_UID = '0192f3a1-7c1e-4b7a-9d55-0a1b2c3d4e5f'

/** The envelopes around a record of a resource, whose schema has a title. */
export function answersOf(noun: string, record: TSchema): ResourceAnswers {
  const { title } = record as { title?: string }
  return {
    one: enveloped(noun, record, `${title}Answer`),
    page: enveloped(noun, Type.Array(record), `${title}Page`),
    gone: enveloped(noun, Type.Object({ uid: Type.String() })),
  }
}

const envelopeFields = {
  message: Type.String({ description: 'Blank' }),
  success: Type.Literal(true),
}

function enveloped(noun: string, shown: TSchema, title?: string): TSchema {
  const { message, success } = envelopeFields
  const totalCount = Type.Integer({ description: 'Total number of records' })
  const example = { message: '', [noun]: exampleOf(shown), totalCount: 1, success: true }
  return Type.Object(
    { message, [noun]: shown, totalCount, success },
    { ...(title === undefined ? {} : { title }), examples: [example] },
  )
}

function exampleOf(schema: TSchema): unknown {
  const { examples, items } = schema as { examples?: unknown[]; items?: TSchema }
  if (items !== undefined) return [exampleOf(items)]
  return examples?.[0] ?? { uid: EXAMPLE_UID }
}

/** The answer of a call that has other fields than a record, between the usual ones. */
export function answerWith(title: string, fields: TProperties, example: object): TObject {
  const { message, success } = envelopeFields
  return named(title, { message, ...fields, success }, { message: '', ...example, success: true })
}

/** The answer of calls that only say that they are done. */
export const doneAnswer = named('DoneAnswer', envelopeFields, { message: '', success: true })
