import { isDeepStrictEqual } from 'node:util'
import { invariant } from '../../base/index.ts'

type Json = Record<string, unknown>

const REF = '#/components/schemas/'

/**
 * Gives every schema with a title its place among the components and leaves a reference where it
 * stood, so that generated clients have types with names. Equal schemas may share a title.
 */
export function nameSchemas(described: unknown, schemas: Record<string, Json>): unknown {
  if (Array.isArray(described)) return described.map((item) => nameSchemas(item, schemas))
  if (typeof described !== 'object' || described === null) return described
  const walked = withNumberFormat(withTypeOfWords(walkFields(described as Json, schemas)))
  const { title } = walked
  if (typeof title !== 'string' || !/^[A-Z]\w+$/.test(title)) return walked
  const { title: _, ...schema } = walked
  const known = schemas[title]
  const isSame = known === undefined || isDeepStrictEqual(bare(known), bare(schema))
  invariant(isSame, `two different schemas are called ${title}`)
  schemas[title] = { ...schema, ...known }
  return { $ref: `${REF}${title}` }
}

function walkFields(described: Json, schemas: Record<string, Json>): Json {
  const fields = Object.entries(described).map(([name, value]) => {
    // Examples are values: what looks like a schema in them is none.
    const isValue = name === 'example' || name === 'examples' || name === 'default'
    return [name, isValue ? value : nameSchemas(value, schemas)]
  })
  return Object.fromEntries(fields)
}

/** A list of words is a string, which generators require. */
function withTypeOfWords(schema: Json): Json {
  const { enum: words, type } = schema
  if (type !== undefined || !Array.isArray(words)) return schema
  return words.every((word) => typeof word === 'string') ? { type: 'string', ...schema } : schema
}

/** Generators take a number without a format for one of 32 bits. */
function withNumberFormat(schema: Json): Json {
  return schema.type === 'number' ? { format: 'double', ...schema } : schema
}

function bare({ examples: _, ...schema }: Json): Json {
  return schema
}
