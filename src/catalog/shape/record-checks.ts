/** Checks that all records share; each refusal names the field and says what to change. */

import type { TSchema } from 'typebox'
import {
  characterCount,
  fitsSchema,
  ID_LENGTH_MAX,
  refuse,
  requireCheckable,
  type SchemaError,
  schemaErrors,
  Type,
} from '../../base/index.ts'
import { canonicalTimeZone } from '../../time/index.ts'

/** Names are shown in lists and charts. */
export const NAME_LENGTH_MAX = 512
/** A few pages of text. */
export const DESCRIPTION_LENGTH_MAX = 10_000

/** An ID that people choose, as checkId() takes it. */
export const idShape = (description: string) =>
  Type.Optional(Type.String({ maxLength: ID_LENGTH_MAX, description }))

/** A name of a record. */
export const nameShape = Type.Optional(Type.String({ maxLength: NAME_LENGTH_MAX }))

/** The stream of a device that lists show; it need not be there yet. */
export const mainStreamShape = Type.Optional(
  Type.String({
    maxLength: ID_LENGTH_MAX,
    description:
      'ID or UID of the stream that lists of devices show. Blank: that of the template, or else the first stream',
  }),
)

/** A description of a record. */
export const descriptionShape = Type.Optional(Type.String({ maxLength: DESCRIPTION_LENGTH_MAX }))

/** Where something stands; every part may be left out. */
export const locationShape = Type.Object({
  latitude: Type.Optional(Type.Number({ minimum: -90, maximum: 90 })),
  longitude: Type.Optional(Type.Number({ minimum: -180, maximum: 180 })),
  altitude: Type.Optional(Type.Number({ minimum: -20_000, maximum: 100_000_000 })),
})

/** A reference to a record by UID, or none. */
export const referenceShape = Type.Union([Type.Null(), Type.Object({ uid: Type.String() })])

/** The revision a caller has seen; an update of a record that has moved on is then refused. */
export const revisionShape = Type.Optional(
  Type.Integer({ minimum: 0, description: 'Refuse the update unless the record still has it' }),
)

/** Refuses with `bad_input` about one field. */
export function refuseField(field: string, what: string): never {
  refuse('bad_input', { what: `${field} ${what}`, field })
}

/** A list among the fields of a record. */
interface ListField {
  readonly name: string
  readonly itemsMax: number
  readonly isItem: (item: unknown) => boolean
}

interface ListSchema {
  readonly type?: string
  readonly items: object
  readonly maxItems?: number
}

type Fields = Readonly<Record<string, unknown>>

/** A check of a record's shape; `noun` begins the path in its messages, as in `component.name`. */
export function shapeCheck(noun: string, schema: TSchema): (input: unknown) => void {
  requireCheckable(schema)
  const lists = listFieldsOf(schema)
  return (input) => {
    requireCounts(noun, lists, input)
    if (fitsSchema(schema, input)) return
    const { shown, places } = withFirstWrongItems(lists, input)
    const errors = schemaErrors(schema, shown)
    // What lies deepest is the cause; the wrong branches of a union lie above it.
    const depth = (error: SchemaError) => error.path.split('/').length
    const cause = errors.reduce((best, error) => (depth(error) > depth(best) ? error : best))
    const atCause = errors.filter(({ path }) => path === cause.path)
    // Of several the caller was on the way to the one that lacks fields, not to the one of another type.
    const lacking = atCause.filter(({ missing }) => missing !== undefined)
    const message = messageOf(lacking.length > 0 ? lacking : atCause)
    const field = fieldOf(noun, cause.path, places)
    if (field === '') refuse('bad_input', { what: `The body ${message}` })
    refuseField(field, message)
  }
}

function listFieldsOf(schema: TSchema): ListField[] {
  const { properties = {} } = schema as { properties?: Readonly<Record<string, ListSchema>> }
  return Object.entries(properties).flatMap(([name, field]) => {
    if (field.type !== 'array') return []
    const { items, maxItems: itemsMax = Number.POSITIVE_INFINITY } = field
    return { name, itemsMax, isItem: (item: unknown) => fitsSchema(items, item) }
  })
}

/** Long lists are refused before their items are looked at: that would take everybody's time. */
function requireCounts(noun: string, lists: readonly ListField[], input: unknown): void {
  for (const { name, itemsMax } of lists) {
    const items = itemsOf(input, name)
    if (items === undefined || items.length <= itemsMax) continue
    refuseField(`${noun}.${name}`, `must not have more than ${itemsMax} items`)
  }
}

/**
 * The record with only the first wrong item of each list, and the indexes of these items. Reporting errors costs a
 * thousand times more than finding them, and would include every item before the wrong one.
 */
function withFirstWrongItems(
  lists: readonly ListField[],
  input: unknown,
): { readonly shown: unknown; readonly places: ReadonlyMap<string, number> } {
  const places = new Map<string, number>()
  let shown = input
  for (const { name, isItem } of lists) {
    const items = itemsOf(input, name)
    if (items === undefined) continue
    const place = items.findIndex((item) => !isItem(item))
    places.set(name, place)
    shown = { ...(shown as Fields), [name]: place < 0 ? [] : [items[place]] }
  }
  return { shown, places }
}

function itemsOf(input: unknown, name: string): readonly unknown[] | undefined {
  if (typeof input !== 'object' || input === null) return undefined
  const value = (input as Fields)[name]
  return Array.isArray(value) ? value : undefined
}

/** The name of a field by its path, with the item's own place in the list that it lies in. */
function fieldOf(noun: string, path: string, places: ReadonlyMap<string, number>): string {
  const [, name = '', ...rest] = path.split('/')
  const place = places.get(name)
  const parts = place === undefined || rest.length === 0 ? rest : [String(place), ...rest.slice(1)]
  const field = [noun, name, ...parts].filter((part) => part !== '').join('.')
  return field.replace(/\.(\d+)/g, '[$1]')
}

function messageOf(errors: readonly SchemaError[]): string {
  const types = errors.flatMap(({ type }) => type ?? [])
  if (types.length > 0) return `must be ${types.map(articled).join(' or ')}`
  const [{ message, allowed }] = errors
  if (allowed === undefined) return message
  return `must be one of ${allowed.map((value) => value || '""').join(', ')}`
}

function articled(type: string): string {
  if (type === 'null') return type
  return /^[aeio]/.test(type) ? `an ${type}` : `a ${type}`
}

/** Refuses an ID that is too long or holds half a character; blank IDs are fine on records. */
export function checkId(field: string, id: string): void {
  checkText(field, id, ID_LENGTH_MAX)
  if (id !== '' && id.trim() === '') refuseField(field, 'contains only white space. Leave it blank')
}

/** Refuses a text that is too long or holds half a character. */
export function checkText(field: string, text: string, lengthMax: number): void {
  if (!text.isWellFormed()) refuseField(field, 'contains an unpaired surrogate')
  const count = text.length > lengthMax ? characterCount(text) : 0
  if (count > lengthMax) refuseField(field, `has ${count} characters: at most ${lengthMax}`)
}

/** The usual spelling of a time zone; refuses one that is not known. */
export function readTimeZoneField(field: string, timeZoneId: string): string {
  const known = canonicalTimeZone(timeZoneId)
  if (known === undefined) {
    const shown = timeZoneId.slice(0, 60)
    refuseField(field, `"${shown}" is not an IANA time zone. Write it like Europe/Berlin or UTC`)
  }
  return known
}
