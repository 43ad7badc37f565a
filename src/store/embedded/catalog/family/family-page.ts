/**
 * The packed row of a family: a head, and members of it in the order of their ordinals. As text: eight hex
 * digits of checksum, then a JSON array; docs/format/catalog-db.md says what stands where.
 */
import { crc32 } from 'node:zlib'
import { CatalogDamaged } from '../../../catalog-port.ts'
import { Shape } from './shape.ts'

/** Of the checksum that a packed text begins with. */
export const CHECK_DIGITS = 8
/** The flag of a row that has a head. */
export const HAS_HEAD = 1
const HAS_OUTSIDERS = 2

/** A shape and the number by which rows name it; 0: it is written into the row. */
export interface NumberedShape {
  readonly number: number
  readonly shape: Shape
}

/** A head or member, taken apart. */
export interface PackedDocument {
  readonly shape: NumberedShape
  readonly id: string
  readonly numbers: readonly number[]
  readonly revision: number
}

export interface PackedMember extends PackedDocument {
  readonly ordinal: number
  readonly handle: number
}

/** What a row holds. */
export interface FamilyPage {
  /** The random digits of the family's UIDs. */
  readonly tail: string
  readonly head: PackedDocument | undefined
  /** Whether claims within the family may stand in the table of claims. */
  readonly hasOutsiders: boolean
  /** In the order of ordinals. */
  readonly members: readonly PackedMember[]
}

/** Where a row stands; its checksum covers that. */
export interface PagePlace {
  readonly orgUid: string
  /** The number of the family. */
  readonly ref: number
  readonly page: number
  /** Of the head; null in rows without one. */
  readonly listKey: string | null
}

type Value = string | number

/** The text of a row. */
export function packPage(place: PagePlace, page: FamilyPage): string {
  const { head, members } = page
  const flags = (head === undefined ? 0 : HAS_HEAD) | (page.hasOutsiders ? HAS_OUTSIDERS : 0)
  const values: Value[] = [page.tail, flags]
  if (head !== undefined) {
    values.push(head.revision)
    pushDocument(values, head)
  }
  let ordinal = 0
  let handle = 0
  for (const member of members) {
    const isFirstRevision = member.revision === 1
    values.push((member.ordinal - ordinal) * 2 + (isFirstRevision ? 0 : 1), member.handle - handle)
    if (!isFirstRevision) values.push(member.revision)
    pushDocument(values, member)
    ordinal = member.ordinal
    handle = member.handle
  }
  const json = JSON.stringify(values)
  return checkOf(place, json) + json
}

function pushDocument(values: Value[], { shape, id, numbers }: PackedDocument): void {
  values.push(shape.number)
  if (shape.number === 0) values.push(shape.shape.text)
  if (shape.shape.hasId) values.push(id)
  for (const number of numbers) values.push(number)
}

function checkOf({ orgUid, ref, page, listKey }: PagePlace, json: string): string {
  const text = `${orgUid}\n${ref}\n${page}\n${listKey}\n${json}`
  // Half a surrogate pair counts as what SQLite stores of it.
  return crc32(text).toString(16).padStart(CHECK_DIGITS, '0')
}

/** The values of a row; throws CatalogDamaged unless it checks, with the name of the row that it asks for. */
export function openPage(
  place: PagePlace,
  packed: unknown,
  nameOf: () => string,
): readonly Value[] {
  if (typeof packed === 'string') {
    const json = packed.slice(CHECK_DIGITS)
    if (packed.startsWith(checkOf(place, json))) return JSON.parse(json) as Value[]
  }
  throw new CatalogDamaged(`${nameOf()} does not check`)
}

/** Reads what packPage wrote and openPage opened; `shapeOf` tells a shape by its number. */
export function unpackPage(
  values: readonly Value[],
  shapeOf: (number: number) => NumberedShape,
): FamilyPage {
  const reader = new PageReader(values, shapeOf)
  const [tail, flags] = [reader.text(), reader.number()]
  const head = (flags & HAS_HEAD) === 0 ? undefined : reader.head()
  const hasOutsiders = (flags & HAS_OUTSIDERS) !== 0
  const members: PackedMember[] = []
  while (reader.hasMore) members.push(reader.member())
  return { tail, head, hasOutsiders, members }
}

class PageReader {
  readonly #values: readonly Value[]
  readonly #shapeOf: (number: number) => NumberedShape
  #at = 0
  #ordinal = 0
  #handle = 0

  constructor(values: readonly Value[], shapeOf: (number: number) => NumberedShape) {
    this.#values = values
    this.#shapeOf = shapeOf
  }

  get hasMore(): boolean {
    return this.#at < this.#values.length
  }

  text(): string {
    return this.#values[this.#at++] as string
  }

  number(): number {
    return this.#values[this.#at++] as number
  }

  head(): PackedDocument {
    const revision = this.number()
    const shape = this.#shape()
    return { shape, revision, id: this.#id(shape), numbers: this.#numbers(shape) }
  }

  member(): PackedMember {
    const step = this.number()
    this.#ordinal += step >> 1
    this.#handle += this.number()
    const revision = (step & 1) === 0 ? 1 : this.number()
    const shape = this.#shape()
    const id = this.#id(shape)
    const numbers = this.#numbers(shape)
    return { ordinal: this.#ordinal, handle: this.#handle, revision, shape, id, numbers }
  }

  #shape(): NumberedShape {
    const number = this.number()
    return number === 0 ? { number, shape: new Shape(this.text()) } : this.#shapeOf(number)
  }

  #id({ shape }: NumberedShape): string {
    return shape.hasId ? this.text() : ''
  }

  #numbers({ shape }: NumberedShape): readonly number[] {
    if (shape.numberCount === 0) return NONE
    const numbers: number[] = []
    while (numbers.length < shape.numberCount) numbers.push(this.number())
    return numbers
  }
}

const NONE: readonly number[] = []
