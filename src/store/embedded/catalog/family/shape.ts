/**
 * What documents of a fleet have in common. A document is taken apart into its shape and what is its own:
 * its ID, and numbers too great to be shared, such as times. The shape is one text:
 *
 *   flags, length of list key, of index and of body, then code and length of each claim, all joined by
 *   commas; a semicolon; then list key, index, body and claims, one after the other
 *
 * An open list key, index or claim ends with the ID, which the text leaves out. In the body, a JSON text,
 * U+0001 stands for the characters of the ID and U+0002 for a number: JSON itself never holds them.
 */
import type { JsonObject, JsonValue } from '../../../catalog-port.ts'

const HAS_ID = 1
const OPEN_LIST_KEY = 2
const OPEN_INDEX = 4
/** Codes of claims: those that end with the ID, and those within the family, which leave its UID out. */
const OPEN = 1
const LOCAL = 2

const ID_MARK = '\u0001'
const NUMBER_MARK = '\u0002'
/** Smaller numbers are shared by many documents, as orders and codes are. */
const OWN_NUMBER_MIN = 1_000_000_000
/** Documents count with the checksum that they would carry in a row of their own. */
const CHECK_BYTES = 8
/** Longer bodies have a row of their own: whoever changes a neighbour writes them too. */
const BODY_LENGTH_MAX = 4_096
const NAMES_MAX = 1_000

/** What a shape is taken from. */
export interface ShapedFields {
  readonly kind: string
  readonly parentUid?: string
  readonly listKey?: string
  readonly index?: string
  readonly claims?: readonly string[]
  readonly body: JsonObject
}

/** A document taken apart. */
export interface Shaped {
  readonly shape: string
  readonly id: string
  readonly numbers: readonly number[]
}

/** What claims begin with that need be unique in a family only; its UID and a colon follow. */
export const LOCAL_CLAIM = 'stream_id:'

/** What the claims of a member begin with that need be unique in its family only. */
export function localClaimsOf(headUid: string): string {
  return `${LOCAL_CLAIM}${headUid}:`
}

/** Whether a value is a number that documents of a shape do not share. */
export function isOwnNumber(value: JsonValue | undefined): value is number {
  return typeof value === 'number' && value >= OWN_NUMBER_MIN && Number.isSafeInteger(value)
}

/** Takes a document apart; undefined when it is too long for a row that it shares. */
export function takeApart(fields: ShapedFields): Shaped | undefined {
  const { body } = fields
  const numbers: number[] = []
  const id = typeof body.id === 'string' ? body.id : ''
  let flags = 0
  let json = ''
  for (const name in body) {
    const value = body[name]
    if (value === undefined) continue
    json += json === '' ? '{' : ','
    json += quoted(name)
    if (name === 'id' && typeof value === 'string') {
      flags |= HAS_ID
      json += `"${ID_MARK}"`
    } else if (isOwnNumber(value)) {
      numbers.push(value)
      json += NUMBER_MARK
    } else {
      json += JSON.stringify(value)
    }
  }
  json = json === '' ? '{}' : `${json}}`
  if (json.length > BODY_LENGTH_MAX) return undefined
  return { shape: textOf(fields, { flags, id, json }), id, numbers }
}

function textOf(fields: ShapedFields, own: { flags: number; id: string; json: string }): string {
  const { id, json } = own
  let { flags } = own
  // As SQLite would store the same texts.
  let listKey = (fields.listKey ?? '').toWellFormed()
  let index = (fields.index ?? '').toWellFormed()
  const isClosed = (flags & HAS_ID) === 0 || !id.isWellFormed()
  if (!isClosed && listKey.endsWith(id)) {
    flags |= OPEN_LIST_KEY
    listKey = listKey.slice(0, listKey.length - id.length)
  }
  if (!isClosed && index.endsWith(id)) {
    flags |= OPEN_INDEX
    index = index.slice(0, index.length - id.length)
  }
  let head = `${flags},${listKey.length},${index.length},${json.length}`
  let tail = ''
  const local = fields.kind === 'stream' ? localClaimsOf(fields.parentUid ?? '') : undefined
  for (const claim of claimsOnce(fields.claims)) {
    let code = 0
    let text = claim
    if (local !== undefined && text.startsWith(local)) {
      code |= LOCAL
      text = text.slice(local.length)
    }
    if (!isClosed && text.endsWith(id)) {
      code |= OPEN
      text = text.slice(0, text.length - id.length)
    }
    head += `,${code},${text.length}`
    tail += text
  }
  return `${head};${listKey}${index}${json}${tail}`
}

function claimsOnce(claims: readonly string[] | undefined): readonly string[] {
  if (claims === undefined || claims.length === 0) return []
  if (claims.length === 1) return [claims[0].toWellFormed()]
  return [...new Set(claims.map((claim) => claim.toWellFormed()))]
}

const quotedNames = new Map<string, string>()

function quoted(name: string): string {
  const known = quotedNames.get(name)
  if (known !== undefined) return known
  const text = `${JSON.stringify(name)}:`
  if (quotedNames.size < NAMES_MAX) quotedNames.set(name, text)
  return text
}

/** A text that ends with the ID, which it leaves out, if it is open. */
export interface OpenText {
  readonly text: string
  readonly isOpen: boolean
}

/** A claim, in the family or in the organization. */
export interface ShapeClaim extends OpenText {
  readonly isLocal: boolean
}

/** A shape that was read: puts documents together again. */
export class Shape {
  readonly text: string
  /** Whether documents of it have an ID of their own. */
  readonly hasId: boolean
  /** How many numbers of their own they have. */
  readonly numberCount: number
  readonly listKey: OpenText
  readonly index: OpenText
  readonly claims: readonly ShapeClaim[]
  /** The body between its numbers, each stretch between places of the ID. */
  readonly #pieces: readonly (readonly string[])[]
  readonly #fixedBytes: number

  constructor(text: string) {
    this.text = text
    const end = text.indexOf(';')
    const [flags, listKeyLength, indexLength, bodyLength, ...claims] = text
      .slice(0, end)
      .split(',')
      .map(Number)
    let at = end + 1
    const take = (length: number): string => {
      at += length
      return text.slice(at - length, at)
    }
    this.hasId = (flags & HAS_ID) !== 0
    this.listKey = { text: take(listKeyLength), isOpen: (flags & OPEN_LIST_KEY) !== 0 }
    this.index = { text: take(indexLength), isOpen: (flags & OPEN_INDEX) !== 0 }
    const json = take(bodyLength)
    this.#pieces = json.split(NUMBER_MARK).map((piece) => piece.split(ID_MARK))
    this.claims = Array.from({ length: claims.length / 2 }, (_, number) => {
      const code = claims[number * 2]
      const claim = take(claims[number * 2 + 1])
      return { isOpen: (code & OPEN) !== 0, isLocal: (code & LOCAL) !== 0, text: claim }
    })
    this.numberCount = this.#pieces.length - 1
    const marks = this.numberCount + (this.hasId ? 1 : 0)
    this.#fixedBytes =
      CHECK_BYTES + Buffer.byteLength(this.listKey.text) + Buffer.byteLength(json) - marks
  }

  listKeyOf(id: string): string {
    return openText(this.listKey, id)
  }

  indexOf(id: string): string {
    return openText(this.index, id)
  }

  /** All claims of a document, whole. */
  claimsOf(id: string, headUid: string): string[] {
    return this.claims.map((claim) => wholeClaim(claim, id, headUid))
  }

  /** Those that need be unique in the family only, without its UID. */
  localClaimsOf(id: string): string[] {
    return this.claims.filter(({ isLocal }) => isLocal).map((claim) => openText(claim, id))
  }

  /** Those that need be unique in the organization. */
  wideClaimsOf(id: string): string[] {
    return this.claims.filter(({ isLocal }) => !isLocal).map((claim) => openText(claim, id))
  }

  /** The JSON of a document's body. */
  jsonOf(id: string, numbers: readonly number[]): string {
    const escaped = this.hasId ? JSON.stringify(id).slice(1, -1) : ''
    let json = this.#pieces[0].join(escaped)
    for (let at = 0; at < numbers.length; at++) {
      json += numbers[at] + this.#pieces[at + 1].join(escaped)
    }
    return json
  }

  /** What a document counts as: list key, JSON and checksum. */
  bytesOf(id: string, numbers: readonly number[]): number {
    let bytes = this.#fixedBytes
    if (this.hasId) bytes += Buffer.byteLength(JSON.stringify(id)) - 2
    if (this.listKey.isOpen) bytes += Buffer.byteLength(id)
    for (const number of numbers) bytes += String(number).length
    return bytes
  }
}

function openText({ isOpen, text }: OpenText, id: string): string {
  return isOpen ? text + id : text
}

function wholeClaim(claim: ShapeClaim, id: string, headUid: string): string {
  const text = openText(claim, id)
  return claim.isLocal ? localClaimsOf(headUid) + text : text
}
