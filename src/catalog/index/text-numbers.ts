import { growColumn } from '../../base/index.ts'
import { RefTables } from './ref-tables.ts'
import { hashOfBytes, hashOfText, TextColumn } from './text-column.ts'

/** As Interned, for texts of which there may be millions: texts by numbers from 1 on; 0 is ''. */
export class TextNumbers {
  readonly #texts = new TextColumn()
  readonly #numbers = new RefTables()
  #uses = new Uint32Array(64)
  readonly #free: number[] = []
  #end = 1

  /** The number of a text, counted as one more use of it. */
  take(text: string): number {
    if (text === '') return 0
    const hash = hashOfText(0, text)
    const known = this.#find(hash, text)
    if (known !== 0) return this.takeAgain(known)
    const number = this.#add(hash)
    this.#texts.set(number, text)
    return number
  }

  /** As take, of the characters of a text of ASCII only. */
  takeBytes(bytes: Buffer, from: number, until: number): number {
    if (until === from) return 0
    const hash = hashOfBytes(0, bytes, from, until)
    const table = this.#numbers.of(hash)
    const { cells } = table
    for (let at = table.homeOf(hash); cells[at] !== 0; at = table.after(at)) {
      if (cells[at + 1] !== hash || !this.#texts.hasBytes(cells[at], bytes, from, until)) continue
      return this.takeAgain(cells[at])
    }
    const number = this.#add(hash)
    this.#texts.setBytes(number, bytes, from, until)
    return number
  }

  /** Counts one more use of a number that is in use, and tells it. */
  takeAgain(number: number): number {
    this.#uses[number] += 1
    return number
  }

  release(number: number): void {
    if (number === 0) return
    this.#uses[number] -= 1
    if (this.#uses[number] > 0) return
    this.#numbers.delete(number, hashOfText(0, this.#texts.textOf(number)))
    this.#texts.delete(number)
    this.#free.push(number)
  }

  /** The number of a text in use, 0 when there is none. */
  find(text: string): number {
    return text === '' ? 0 : this.#find(hashOfText(0, text), text)
  }

  /** Whether a number is that of a text; builds none. */
  has(number: number, text: string): boolean {
    return this.#texts.has(number, text)
  }

  textOf(number: number): string {
    return this.#texts.textOf(number)
  }

  #find(hash: number, text: string): number {
    const table = this.#numbers.of(hash)
    const { cells } = table
    for (let at = table.homeOf(hash); cells[at] !== 0; at = table.after(at)) {
      if (cells[at + 1] === hash && this.#texts.has(cells[at], text)) return cells[at]
    }
    return 0
  }

  #add(hash: number): number {
    const number = this.#free.pop() ?? this.#end++
    this.#uses = growColumn(this.#uses, number + 1)
    this.#uses[number] = 1
    this.#numbers.add(number, hash)
    return number
  }
}
