import { growColumn } from '../../base/index.ts'

/** Texts by small numbers from 1 on, each kept once for as long as someone uses it; 0 is ''. */
export class Interned {
  readonly #numbers = new Map<string, number>()
  readonly #texts: string[] = ['']
  #uses = new Uint32Array(64)
  readonly #free: number[] = []
  /** Neighbours often share a text: it is then found without a look into the map. */
  #lastText = ''
  #lastNumber = 0

  /** The number of a text, counted as one more use of it. */
  take(text: string): number {
    if (text === '') return 0
    if (text === this.#lastText) {
      this.#uses[this.#lastNumber] += 1
      return this.#lastNumber
    }
    let number = this.#numbers.get(text)
    if (number === undefined) {
      number = this.#free.pop() ?? this.#texts.length
      this.#numbers.set(text, number)
      this.#texts[number] = text
      this.#uses = growColumn(this.#uses, number + 1)
    }
    this.#uses[number] += 1
    this.#lastText = text
    this.#lastNumber = number
    return number
  }

  release(number: number): void {
    if (number === 0) return
    this.#uses[number] -= 1
    if (this.#uses[number] > 0) return
    if (number === this.#lastNumber) {
      this.#lastText = ''
      this.#lastNumber = 0
    }
    this.#numbers.delete(this.#texts[number])
    this.#texts[number] = ''
    this.#free.push(number)
  }

  /** The number of a text in use, 0 when there is none. */
  find(text: string): number {
    return text === this.#lastText ? this.#lastNumber : (this.#numbers.get(text) ?? 0)
  }

  textOf(number: number): string {
    return this.#texts[number]
  }
}
