import type { TObject, TSchema } from 'typebox'
import { refuse, Type } from '../../base/index.ts'
import { SEARCH_LENGTH_MAX } from '../../catalog/record/index.ts'
import { pageSchema } from './envelope.ts'

/** The schema of a body that wraps one record in the name of its resource; named after what is answered. */
export function wrapped(noun: string, shape: TObject, answered: TSchema): TSchema {
  const { title, examples = [] } = answered as { title?: string; examples?: readonly object[] }
  const known = Object.entries(examples[0] ?? {}).filter(
    ([field]) => field in shape.properties && !['uid', 'revision'].includes(field),
  )
  const record = { ...shape, title: `${title}Input` }
  const example = { [noun]: Object.fromEntries(known) }
  return Type.Object({ [noun]: record }, { title: `${title}Body`, examples: [example] })
}

/** The record in a wrapped body; refuses a body that is not wrapped. Its fields are not looked at. */
export function unwrap(noun: string, body: unknown): unknown {
  const isObject = typeof body === 'object' && body !== null && !Array.isArray(body)
  const record = isObject ? (body as Record<string, unknown>)[noun] : undefined
  if (record === undefined) {
    refuse('bad_input', { what: `The body must be a JSON object of the form {"${noun}":{…}}` })
  }
  return record
}

/** Parameters of the list of components. */
export const componentListQuery = Type.Object({
  ...pageSchema.properties,
  folder: Type.Optional(
    Type.String({ description: 'Only records in this folder and its subfolders' }),
  ),
  direct: Type.Optional(
    Type.Boolean({
      description:
        'Only records directly in the folder (/Components by default). Off if false or 0',
    }),
  ),
  id: Type.Optional(Type.String({ description: 'Only the record with this ID' })),
  search: Type.Optional(
    Type.String({
      maxLength: SEARCH_LENGTH_MAX,
      description: 'Only records with all of these words in folder, name, or ID',
    }),
  ),
})

/** One value of a query parameter, undefined when it is absent; refuses a repeated one. */
export function readQueryText(query: unknown, name: string): string | undefined {
  const value = (query as Record<string, unknown>)[name]
  if (value === undefined || typeof value === 'string') return value
  return refuse('bad_input', { what: `${name} must be given once` })
}
