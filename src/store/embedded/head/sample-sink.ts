import { growColumn } from '../../../base/plain.ts'
import type { SampleColumns } from '../../ports/sample-port.ts'

/** Takes samples one by one into columns, up to a number of them. */
export class SampleSink {
  readonly #limit: number
  #times: Float64Array<ArrayBuffer>
  #numbers: Float64Array<ArrayBuffer>
  #texts: Array<string | undefined> | undefined
  #count = 0

  constructor(limit = Number.POSITIVE_INFINITY) {
    this.#limit = limit
    const room = Math.min(limit, 64)
    this.#times = new Float64Array(room)
    this.#numbers = new Float64Array(room)
  }

  get count(): number {
    return this.#count
  }

  get isFull(): boolean {
    return this.#count >= this.#limit
  }

  /** Starts over; columns given out before are overwritten. */
  clear(): void {
    this.#count = 0
    this.#texts = undefined
  }

  push(time: number, number: number, text: string | undefined): void {
    const at = this.#count
    if (at === this.#times.length) {
      this.#times = growColumn(this.#times, at + 1)
      this.#numbers = growColumn(this.#numbers, at + 1)
    }
    this.#times[at] = time
    this.#numbers[at] = number
    if (text !== undefined) {
      this.#texts ??= []
      this.#texts[at] = text
    }
    this.#count = at + 1
  }

  /** What was taken, in the order it came. */
  columns(): SampleColumns {
    const count = this.#count
    const times = this.#times.subarray(0, count)
    const numbers = this.#numbers.subarray(0, count)
    if (this.#texts === undefined) return { count, times, numbers }
    const texts = Array.from({ length: count }, (_, index) => this.#texts?.[index])
    return { count, times, numbers, texts }
  }

  /** What was taken, the last first. */
  reversed(): SampleColumns {
    return reverseColumns(this.columns())
  }
}

/** Columns in the opposite order, as a copy. */
export function reverseColumns(columns: SampleColumns): SampleColumns {
  const { count, texts } = columns
  const times = columns.times.subarray(0, count).slice().reverse()
  const numbers = columns.numbers.subarray(0, count).slice().reverse()
  return texts === undefined
    ? { count, times, numbers }
    : { count, times, numbers, texts: texts.slice(0, count).reverse() }
}

/** Columns in memory of their own: what callers do to them reaches nobody else. */
export function copyColumns({ count, times, numbers, texts }: SampleColumns): SampleColumns {
  const copied = { count, times: times.slice(0, count), numbers: numbers.slice(0, count) }
  return texts === undefined ? copied : { ...copied, texts: texts.slice(0, count) }
}
