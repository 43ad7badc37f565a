import { familyHeadOf, TAIL_DIGITS } from '../../../../base/plain.ts'
import type { Fleet } from '../catalog-protocol.ts'
import type { RowBytes } from './row-bytes.ts'

/** IDs that are the same between quotes in JSON, and as long in bytes. */
const PLAIN = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/
const QUOTE = 34

/** Goes through the families and streams of a fleet. */
export class FleetWalk {
  readonly #ids: string
  readonly #layout: Fleet['layout']
  /** Of the IDs, a byte a character; none unless they are plain. */
  readonly #bytes: Uint8Array | undefined
  #at = 0
  #from = 0
  #until = 0
  #left = 0
  /** Where the streams of the family begin, in the layout and in the IDs, and those of the one before. */
  #streamsAt = 0
  #streamsFrom = 0
  #lastAt = 0
  #lastFrom = 0
  #lastCount = 0
  /** Of streams in the family. */
  count = 0
  pattern = 0

  constructor({ ids, layout }: Pick<Fleet, 'ids' | 'layout'>) {
    this.#ids = ids
    this.#layout = layout
    this.#bytes = PLAIN.test(ids) ? Buffer.from(ids, 'latin1') : undefined
  }

  /** Whether all IDs are as long in JSON and in bytes as they are. */
  get isPlain(): boolean {
    return this.#bytes !== undefined
  }

  nextFamily(): boolean {
    if (this.#at >= this.#layout.length) return false
    this.#lastAt = this.#streamsAt
    this.#lastFrom = this.#streamsFrom
    this.#lastCount = this.count
    this.#takeId(this.#layout[this.#at])
    this.count = this.#layout[this.#at + 1]
    this.#left = this.count
    this.#at += 2
    this.#streamsAt = this.#at
    this.#streamsFrom = this.#until
    return true
  }

  /** Passes the streams of the family that was just gone to if they are those of the one before, of plain IDs. */
  passStreamsOfLast(): boolean {
    const bytes = this.#bytes
    if (bytes === undefined || this.count !== this.#lastCount) return false
    let length = 0
    for (let at = 0; at < this.count * 2; at += 2) {
      const [own, last] = [this.#streamsAt + at, this.#lastAt + at]
      if (this.#layout[own] !== this.#layout[last]) return false
      if (this.#layout[own + 1] !== this.#layout[last + 1]) return false
      length += this.#layout[own]
    }
    for (let at = 0; at < length; at++) {
      if (bytes[this.#streamsFrom + at] !== bytes[this.#lastFrom + at]) return false
    }
    this.#at += this.count * 2
    this.#until += length
    this.#left = 0
    return true
  }

  nextStream(): boolean {
    if (this.#left === 0) return false
    this.#left -= 1
    this.#takeId(this.#layout[this.#at])
    this.pattern = this.#layout[this.#at + 1]
    this.#at += 2
    return true
  }

  /** The ID of the component or stream that was gone to. */
  get id(): string {
    return this.#ids.slice(this.#from, this.#until)
  }

  get idLength(): number {
    return this.#until - this.#from
  }

  /** Adds the ID to a row. */
  addId(row: RowBytes): void {
    if (this.#bytes === undefined) row.addText(this.id)
    else row.addAscii(this.#bytes, this.#from, this.#until)
  }

  /** Adds the ID to a row as JSON. */
  addQuoted(row: RowBytes): void {
    if (this.#bytes === undefined) {
      row.addText(JSON.stringify(this.id))
      return
    }
    row.addCode(QUOTE)
    row.addAscii(this.#bytes, this.#from, this.#until)
    row.addCode(QUOTE)
  }

  #takeId(length: number): void {
    this.#from = this.#until
    this.#until += length
  }
}

/** How many documents a fleet makes. */
export function documentsOfFleet({ layout }: Pick<Fleet, 'layout'>): number {
  return layout.length / 2
}

/** The UID of one of its components. */
export function fleetHeadOf(
  { firstNumber, tails }: Pick<Fleet, 'firstNumber' | 'tails'>,
  number: number,
): string {
  const tail = tails.slice(number * TAIL_DIGITS, (number + 1) * TAIL_DIGITS)
  return familyHeadOf(firstNumber + number, tail)
}

/** The IDs of its components. */
export function compIdsOf({ ids, layout }: Pick<Fleet, 'ids' | 'layout'>): string[] {
  const found: string[] = []
  let from = 0
  for (let at = 0; at < layout.length; ) {
    const end = from + layout[at]
    found.push(ids.slice(from, end))
    from = end
    const streams = layout[at + 1]
    at += 2
    for (let stream = 0; stream < streams; stream++, at += 2) from += layout[at]
  }
  return found
}
