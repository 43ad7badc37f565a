import { growColumn, refuse } from '../../base/index.ts'
import { ProtoCursor, uint32At, WIRE_BYTES } from './proto-cursor.ts'
import type { LabelWriter } from './series-labels.ts'

/** The field of a request that holds a symbol. */
const SYMBOLS = 4

/** Labels of one series that are read: 64 labels of the longest texts take about a megabyte. */
const LABEL_BYTES_MAX = 2 * 1024 * 1024

/** How much longer all labels of a body may be than the body: few references can name a long text often. */
const LABEL_RATIO_MAX = 100
const LABEL_FREE_BYTES = 16 * 1024 * 1024

/** The texts of a body of remote write 2.0, to which its labels refer. */
export class SymbolTable {
  readonly #bytes: Buffer
  /** Where each symbol starts and ends. */
  #places = new Uint32Array(256)
  #count = 0
  /** Bytes of labels that may still be written. */
  #labelBytesLeft: number

  /** Finds all symbols, wherever they are in the request. */
  constructor(bytes: Buffer) {
    this.#bytes = bytes
    this.#labelBytesLeft = LABEL_FREE_BYTES + LABEL_RATIO_MAX * bytes.length
    const request = new ProtoCursor(bytes)
    request.enter(0, bytes.length)
    while (request.nextField()) {
      if (request.field !== SYMBOLS || request.wire !== WIRE_BYTES) continue
      this.#places = growColumn(this.#places, 2 * this.#count + 2)
      this.#places[2 * this.#count] = request.from
      this.#places[2 * this.#count + 1] = request.end
      this.#count += 1
    }
  }

  /** The text of a symbol. Refuses one that is missing. */
  textOf(symbol: number): string {
    if (symbol >= this.#count) this.#refuseMissing(symbol)
    return this.#bytes.toString('utf8', this.#places[2 * symbol], this.#places[2 * symbol + 1])
  }

  /** The symbol that is the value of a label, where labels are referred to; undefined without the label. */
  valueOf(label: Buffer, { from, until }: { from: number; until: number }): number | undefined {
    for (let at = from; at < until; ) {
      const name = uint32At(this.#bytes, at)
      at = this.#after(at)
      if (at < until && this.#isText(name, label)) return uint32At(this.#bytes, at)
      at = this.#after(at)
    }
    return undefined
  }

  #isText(symbol: number, text: Buffer): boolean {
    const from = this.#places[2 * symbol]
    const until = this.#places[2 * symbol + 1]
    if (symbol >= this.#count || until - from !== text.length) return false
    return text.compare(this.#bytes, from, until) === 0
  }

  #after(varintAt: number): number {
    let at = varintAt
    while (this.#bytes[at] >= 0x80) at += 1
    return at + 1
  }

  /**
   * Writes the labels that a field refers to: pairs of a name and a value. Returns false if they are longer than those of
   * any stream; then not all are written.
   */
  writeLabels(refs: ProtoCursor, writer: LabelWriter): boolean {
    const lengthBefore = writer.length
    let name = -1
    for (let at = refs.from; at < refs.end; ) {
      const symbol = uint32At(this.#bytes, at)
      at = this.#after(at)
      if (symbol >= this.#count) this.#refuseMissing(symbol)
      if (name >= 0) this.#write(name, symbol, writer)
      if (writer.length > LABEL_BYTES_MAX) break
      name = name >= 0 ? -1 : symbol
    }
    const isTooLong = writer.length > LABEL_BYTES_MAX
    if (name >= 0 && !isTooLong) refuse('bad_input', { what: 'A label of the body has no value' })
    this.#labelBytesLeft -= writer.length - lengthBefore
    if (this.#labelBytesLeft < 0) {
      const what = `The labels are more than ${LABEL_RATIO_MAX} times as long as the body. Send smaller bodies`
      refuse('bad_input', { what })
    }
    return !isTooLong
  }

  #refuseMissing(symbol: number): never {
    refuse('bad_input', { what: `Symbol ${symbol} is missing: the body has ${this.#count}` })
  }

  #write(name: number, value: number, writer: LabelWriter): void {
    const places = this.#places
    writer.addLabel(this.#bytes, {
      nameFrom: places[2 * name],
      nameUntil: places[2 * name + 1],
      valueFrom: places[2 * value],
      valueUntil: places[2 * value + 1],
    })
  }
}
