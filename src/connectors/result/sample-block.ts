/** Samples of a result as columns, the form in which they lie on disk. */
import type { IncomingSamples } from '../../feed/index.ts'

/** Samples side by side. `streams` are numbers known to the owner of the block; a time is NaN where none is given. */
export interface SampleBlock {
  readonly count: number
  readonly streams: Uint32Array
  /** The INSERT that gave each, and which of its rows it was, from 1 on. */
  readonly statements: Uint16Array
  readonly rows: Float64Array
  readonly times: Float64Array
  readonly kinds: Uint8Array
  readonly numbers: Float64Array
  /** Blank where a value has none; absent where none has one. */
  readonly texts: readonly string[] | undefined
}

/** Grows sample by sample up to its room, and is emptied. */
export class BlockBuilder {
  readonly #streams: Uint32Array
  readonly #statements: Uint16Array
  readonly #rows: Float64Array
  readonly #times: Float64Array
  readonly #kinds: Uint8Array
  readonly #numbers: Float64Array
  #texts: string[] | undefined
  #textChars = 0
  #count = 0

  constructor(room: number) {
    this.#streams = new Uint32Array(room)
    this.#statements = new Uint16Array(room)
    this.#rows = new Float64Array(room)
    this.#times = new Float64Array(room)
    this.#kinds = new Uint8Array(room)
    this.#numbers = new Float64Array(room)
  }

  get count(): number {
    return this.#count
  }

  get textChars(): number {
    return this.#textChars
  }

  get isFull(): boolean {
    return this.#count === this.#streams.length
  }

  /** Adds a sample of another block, under a number of its own. */
  addFrom(block: SampleBlock, at: number, stream: number): void {
    const index = this.#count
    this.#streams[index] = stream
    this.#statements[index] = block.statements[at]
    this.#rows[index] = block.rows[at]
    this.#times[index] = block.times[at]
    this.#kinds[index] = block.kinds[at]
    this.#numbers[index] = block.numbers[at]
    this.#addText(block.texts?.[at] ?? '')
    this.#count = index + 1
  }

  /** What it holds, which is good until the next is added after `clear`. */
  view(): SampleBlock {
    const count = this.#count
    return {
      count,
      streams: this.#streams.subarray(0, count),
      statements: this.#statements.subarray(0, count),
      rows: this.#rows.subarray(0, count),
      times: this.#times.subarray(0, count),
      kinds: this.#kinds.subarray(0, count),
      numbers: this.#numbers.subarray(0, count),
      texts: this.#texts,
    }
  }

  clear(): void {
    this.#count = 0
    this.#texts = undefined
    this.#textChars = 0
  }

  #addText(text: string): void {
    if (text === '') {
      this.#texts?.push('')
      return
    }
    this.#texts ??= new Array<string>(this.#count).fill('')
    this.#texts.push(text)
    this.#textChars += text.length
  }
}

/** Samples as they came from the INSERTs, with the numbers of their streams. */
export function blockOf(
  samples: IncomingSamples,
  about: {
    readonly streams: Uint32Array
    readonly statements: Uint16Array
    readonly rows: Float64Array
  },
): SampleBlock {
  const { count, times, kinds, numbers, texts } = samples
  return {
    count,
    ...about,
    times,
    kinds,
    numbers,
    texts: texts && Array.from({ length: count }, (_, at) => texts[at] ?? ''),
  }
}
