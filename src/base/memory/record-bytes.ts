import { refuse } from '../errors.ts'
import { PAGE_BYTES_MAX } from '../limits.ts'

/** Counts the JSON of the records on a page while they are read, and refuses a page that gets too long. */
export class RecordBytes {
  readonly #kind: string
  readonly #bytesMax: number
  #records = 0
  #bytes = 0

  constructor(kind: string, bytesMax = PAGE_BYTES_MAX) {
    this.#kind = kind
    this.#bytesMax = bytesMax
  }

  /** Counts one more record by its JSON; one alone always passes, as nobody could ask for less. */
  add(json: string): void {
    this.#records += 1
    this.#bytes += Buffer.byteLength(json)
    if (this.#records === 1 || this.#bytes <= this.#bytesMax) return
    const what = `This page of ${this.#kind} has more than ${this.#bytesMax} bytes`
    refuse('bad_input', { what: `${what}. Use a smaller "limit"` })
  }
}
