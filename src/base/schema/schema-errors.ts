/** Holds a value against a schema that schema-type.ts made: the keywords that the shapes of records use, and no others. */
import { invariant } from '../invariant.ts'

/** What keeps a value from fitting. */
export interface SchemaError {
  /** Where, as in `/stream/0/id`. */
  readonly path: string
  readonly message: string
  /** Of a wrong type: the one that it must be. */
  readonly type?: string
  /** Of an object that lacks fields: these. */
  readonly missing?: readonly string[]
  /** Where only some values are allowed: these. */
  readonly allowed?: readonly unknown[]
}

interface Schema {
  readonly type?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly maxItems?: number
  readonly minimum?: number
  readonly maximum?: number
}

type Fields = Readonly<Record<string, unknown>>

/** Errors reported at most, also per branch of a union. */
const ERRORS_MAX = 8
/**
 * Not checked here. Formats are of numbers (int64). Lengths and patterns of texts are declared for
 * clients; the rules of each record check them, and their refusals say more.
 */
const NOTES: ReadonlySet<string> = new Set([
  'title',
  'description',
  'examples',
  'default',
  'format',
  'maxLength',
  'pattern',
])
const CHECKED: ReadonlySet<string> = new Set([
  'type',
  'const',
  'enum',
  'anyOf',
  'required',
  'properties',
  'items',
  'maxItems',
  'minimum',
  'maximum',
])

/** Throws where a schema asks for what is not looked at here: it would be let through. */
export function requireCheckable(schema: object): void {
  for (const keyword of Object.keys(schema)) {
    invariant(CHECKED.has(keyword) || NOTES.has(keyword), `${keyword} of a schema is not checked`)
  }
  const { properties = {}, items, anyOf = [] } = schema as Schema
  for (const part of [...Object.values(properties), ...anyOf, ...(items ? [items] : [])]) {
    requireCheckable(part)
  }
}

/** Whether a value fits; looks at no more of it than it must. */
export function fitsSchema(schema: object, value: unknown): boolean {
  const { properties, required, items, anyOf, type } = schema as Schema
  if (type !== undefined && !isOfType(type, value)) return false
  if (boundErrors(schema, value).length > 0) return false
  if (anyOf !== undefined && !anyOf.some((branch) => fitsSchema(branch, value))) return false
  if (Array.isArray(value)) {
    return items === undefined || value.every((item) => fitsSchema(items, item))
  }
  if (!isObject(value)) return true
  if (required?.some((name) => !Object.hasOwn(value, name))) return false
  for (const name in properties) {
    if (!Object.hasOwn(value, name)) continue
    const field = value[name]
    if (field === undefined && !required?.includes(name)) continue
    if (!fitsSchema(properties[name], field)) return false
  }
  return true
}

/** What keeps a value from fitting, the causes inside of a union before the union itself; none when it fits. */
export function schemaErrors(schema: object, value: unknown, path = ''): SchemaError[] {
  const errors: SchemaError[] = []
  const add = (more: readonly SchemaError[]): void => {
    for (const error of more) if (errors.length < ERRORS_MAX) errors.push(error)
  }
  const { properties = {}, required = [], items, anyOf, type } = schema as Schema
  if (type !== undefined && !isOfType(type, value)) {
    add([{ path, message: `must be ${type}`, type }])
  }
  if (isObject(value)) {
    const missing = required.filter((name) => !Object.hasOwn(value, name))
    if (missing.length > 0) {
      const message = `must have required properties ${missing.join(', ')}`
      add([{ path, message, missing }])
    }
    for (const [name, field] of Object.entries(properties)) {
      if (errors.length >= ERRORS_MAX) break
      if (!Object.hasOwn(value, name)) continue
      if (value[name] === undefined && !required.includes(name)) continue
      add(schemaErrors(field, value[name], `${path}/${name}`))
    }
  }
  if (Array.isArray(value) && items !== undefined) {
    for (let at = 0; at < value.length && errors.length < ERRORS_MAX; at++) {
      add(schemaErrors(items, value[at], `${path}/${at}`))
    }
  }
  add(boundErrors(schema, value).map((error) => ({ ...error, path })))
  if (anyOf !== undefined && !anyOf.some((branch) => fitsSchema(branch, value))) {
    for (const branch of anyOf) add(schemaErrors(branch, value, path))
    add([{ path, message: 'must match a schema in anyOf' }])
  }
  return errors
}

/** What a value itself breaks, without what it holds. */
function boundErrors(schema: Schema, value: unknown): Omit<SchemaError, 'path'>[] {
  const { minimum, maximum, maxItems } = schema
  const errors: Omit<SchemaError, 'path'>[] = []
  if (maxItems !== undefined && Array.isArray(value) && value.length > maxItems) {
    errors.push({ message: `must not have more than ${maxItems} items` })
  }
  if (typeof value === 'number' && Number.isFinite(value)) {
    if (minimum !== undefined && !(value >= minimum)) {
      errors.push({ message: `must be >= ${minimum}` })
    }
    if (maximum !== undefined && !(value <= maximum)) {
      errors.push({ message: `must be <= ${maximum}` })
    }
  }
  if (schema.const !== undefined && value !== schema.const) {
    errors.push({ message: 'must be equal to constant' })
  }
  if (schema.enum !== undefined && !schema.enum.includes(value)) {
    const message = 'must be equal to one of the allowed values'
    errors.push({ message, allowed: schema.enum })
  }
  return errors
}

function isOfType(type: string, value: unknown): boolean {
  if (type === 'object') return isObject(value)
  if (type === 'array') return Array.isArray(value)
  if (type === 'null') return value === null
  if (type === 'integer') return Number.isInteger(value)
  if (type === 'number') return Number.isFinite(value)
  return typeof value === type
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
