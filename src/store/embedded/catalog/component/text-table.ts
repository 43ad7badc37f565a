/** Texts that many components and streams share, such as time zones, owners, folders and labels, each stored once. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { CatalogDamaged } from '../../../ports/catalog-port.ts'
import { addNumber, addText, CHECK_START, endCheck } from './row-check.ts'

/** Labels of a bulk load can be millions: then the cache is cleared. */
const KEPT_MAX = 100_000
/** Texts that were asked for once: those of the streams that are created at about the same time. */
const SEEN_ONCE_MAX = 20_000

interface TextRow {
  number: number
  text: string
  crc: number
}

/** The table of shared texts, with those in memory that were asked for. */
export class TextTable {
  readonly #selectText: StatementSync
  readonly #selectNumber: StatementSync
  readonly #insert: StatementSync
  readonly #selectLast: StatementSync
  readonly #texts = new Map<number, string>()
  readonly #numbers = new Map<string, number>()
  readonly #seenOnce = new Set<string>()
  /** The greatest number, undefined if it may have been rolled back. */
  #last: number | undefined

  constructor(db: DatabaseSync) {
    this.#selectText = db.prepare('SELECT number, text, crc FROM text WHERE number = ?')
    this.#selectNumber = db.prepare('SELECT number, text, crc FROM text WHERE text = ?')
    this.#insert = db.prepare('INSERT INTO text (number, text, crc) VALUES (?, ?, ?)')
    this.#selectLast = db.prepare('SELECT max(number) AS last FROM text')
  }

  /** The text of a number; a number that is none's is damaged. */
  textOf(number: number): string {
    const known = this.#texts.get(number)
    if (known !== undefined) return known
    const row = this.#selectText.get(number) as TextRow | undefined
    if (row === undefined) throw new CatalogDamaged(`there is no text number ${number}`)
    return this.#keep(row)
  }

  /** The number of a text, undefined when it is not there. */
  find(text: string): number | undefined {
    const stored = text.toWellFormed()
    const known = this.#numbers.get(stored)
    if (known !== undefined) return known
    const row = this.#selectNumber.get(stored) as TextRow | undefined
    if (row === undefined) return undefined
    if (this.#keep(row) === stored) return row.number
    throw new CatalogDamaged(`text number ${row.number} is not where the index says`)
  }

  /** The number of a text, which is stored when it is not there. */
  numberOf(text: string): number {
    const known = this.find(text)
    if (known !== undefined) return known
    const stored = text.toWellFormed()
    this.#last ??= Number((this.#selectLast.get() as { last: number | null }).last ?? 0)
    const number = this.#last + 1
    this.#insert.run(number, stored, checkOfText(number, stored))
    this.#last = number
    this.#remember(number, stored)
    return number
  }

  /**
   * The number of a text that many rows may share, undefined when it is asked for the first time. Most texts that one
   * row alone has are never stored.
   */
  numberOfRepeated(text: string): number | undefined {
    const known = this.#numbers.get(text)
    if (known !== undefined) return known
    if (this.#seenOnce.delete(text)) return this.numberOf(text)
    if (this.#seenOnce.size >= SEEN_ONCE_MAX) this.#seenOnce.clear()
    this.#seenOnce.add(text)
    return undefined
  }

  /** Drops what a transaction may have stored that came to nothing. */
  clear(): void {
    this.#forget()
    this.#last = undefined
  }

  #forget(): void {
    this.#texts.clear()
    this.#numbers.clear()
  }

  #keep({ number, text, crc }: TextRow): string {
    if (typeof text !== 'string' || checkOfText(number, text) !== crc) {
      throw new CatalogDamaged(`text number ${number} does not check`)
    }
    this.#remember(number, text)
    return text
  }

  #remember(number: number, text: string): void {
    if (this.#texts.size >= KEPT_MAX) this.#forget()
    this.#texts.set(number, text)
    this.#numbers.set(text, number)
  }
}

/** The checksum of a row of the table. */
export function checkOfText(number: number, text: string): number {
  return endCheck(addText(addNumber(CHECK_START, number), text))
}
