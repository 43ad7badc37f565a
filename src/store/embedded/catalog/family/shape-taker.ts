import type { JsonObject, JsonValue } from '../../../catalog-port.ts'
import {
  isOwnNumber,
  LOCAL_CLAIM,
  type OpenText,
  Shape,
  type ShapeClaim,
  type Shaped,
  type ShapedFields,
  takeApart,
} from './shape.ts'

/** Shapes that are remembered; then it begins again. */
const PATTERNS_MAX = 2_000
const COLON = 58

/** A document that was taken apart, and what came after one of its shape. */
interface Pattern {
  readonly shape: Shape
  readonly kind: string
  readonly names: readonly string[]
  readonly values: JsonValue[]
  next: Pattern | undefined
}

/**
 * Takes documents apart as takeApart() does. Devices of a fleet bring documents of the same shapes in the same
 * order: one that looks like the one that came at this place before is not put into words again.
 */
export class ShapeTaker {
  readonly #patterns = new Map<string, Pattern>()
  #last: Pattern | undefined

  take(fields: ShapedFields): Shaped | undefined {
    const expected = this.#last?.next
    const numbers = expected && matchFields(expected, fields)
    if (expected !== undefined && numbers !== undefined) {
      this.#last = expected
      return { shape: expected.shape.text, id: fields.body.id as string, numbers }
    }
    const apart = takeApart(fields)
    const pattern = apart && this.#patternOf(apart.shape, fields)
    if (this.#last !== undefined) this.#last.next = pattern
    this.#last = pattern
    if (apart === undefined || pattern === undefined) return apart
    // One text for all: its hash is known.
    return { ...apart, shape: pattern.shape.text }
  }

  #patternOf(text: string, { kind, body }: ShapedFields): Pattern | undefined {
    const known = this.#patterns.get(text)
    if (known !== undefined) return known
    const shape = new Shape(text)
    if (!shape.hasId) return undefined
    if (this.#patterns.size >= PATTERNS_MAX) this.#patterns.clear()
    const names = Object.keys(body)
    const values = names.map((name) => body[name])
    const pattern = { shape, kind, names, values, next: undefined }
    this.#patterns.set(text, pattern)
    return pattern
  }
}

/** The numbers of a document that has the pattern's shape; undefined when it has another. */
function matchFields(pattern: Pattern, fields: ShapedFields): number[] | undefined {
  const { shape, kind } = pattern
  const { body, claims } = fields
  const { id } = body
  if (fields.kind !== kind || typeof id !== 'string' || !id.isWellFormed()) return undefined
  if (!isText(shape.listKey, fields.listKey ?? '', id)) return undefined
  if (!isText(shape.index, fields.index ?? '', id)) return undefined
  if ((claims?.length ?? 0) !== shape.claims.length || shape.claims.length > 1) return undefined
  if (claims?.length === 1 && !isClaim(shape.claims[0], claims[0], fields)) return undefined
  return matchBody(pattern, body)
}

function matchBody({ names, values }: Pattern, body: JsonObject): number[] | undefined {
  const numbers: number[] = []
  let at = 0
  for (const name in body) {
    if (names[at] !== name) return undefined
    const [value, before] = [body[name], values[at]]
    at += 1
    if (name === 'id') continue
    if (isOwnNumber(value)) {
      if (!isOwnNumber(before)) return undefined
      numbers.push(value)
    } else if (value !== before) {
      if (!isSameObject(value, before)) return undefined
      // The next one often has the very same object.
      values[at - 1] = value
    }
  }
  return at === names.length ? numbers : undefined
}

function isSameObject(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  if (typeof a !== 'object' || typeof b !== 'object') return false
  return JSON.stringify(a) === JSON.stringify(b)
}

function isText({ text, isOpen }: OpenText, given: string, id: string): boolean {
  if (!isOpen) return given === text
  return given.length === text.length + id.length && given.startsWith(text) && given.endsWith(id)
}

function isClaim(
  claim: ShapeClaim,
  given: string,
  { parentUid = '', body }: ShapedFields,
): boolean {
  const id = body.id as string
  if (!claim.isLocal) return isText(claim, given, id)
  const start = LOCAL_CLAIM.length + parentUid.length + 1
  return (
    given.length === start + claim.text.length + (claim.isOpen ? id.length : 0) &&
    given.startsWith(LOCAL_CLAIM) &&
    given.startsWith(parentUid, LOCAL_CLAIM.length) &&
    given.charCodeAt(start - 1) === COLON &&
    given.startsWith(claim.text, start) &&
    (!claim.isOpen || given.endsWith(id))
  )
}
