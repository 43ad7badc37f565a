import { growColumn, refuse } from '../../base/index.ts'
import { ProtoCursor, uint32At, WIRE_BYTES } from './proto-cursor.ts'
import type { LabelWriter } from './series-labels.ts'

/** The field of a request that holds a symbol. */
const SYMBOLS = 4

/** The texts of a body of remote write 2.0, to which its labels refer. */
export class SymbolTable {
  readonly #bytes: Buffer
  /** Where each symbol starts and ends. */
  #places = new Uint32Array(256)
  #count = 0

  /** Finds all symbols, wherever they are in the request. */
  constructor(bytes: Buffer) {
    this.#bytes = bytes
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

  /** Writes the labels that a field refers to: pairs of a name and a value. */
  writeLabels(refs: ProtoCursor, writer: LabelWriter): void {
    let name = -1
    for (let at = refs.from; at < refs.end; ) {
      const symbol = uint32At(this.#bytes, at)
      while (this.#bytes[at] >= 0x80) at += 1
      at += 1
      if (symbol >= this.#count) {
        refuse('bad_input', { what: `Symbol ${symbol} is missing: the body has ${this.#count}` })
      }
      if (name >= 0) this.#write(name, symbol, writer)
      name = name >= 0 ? -1 : symbol
    }
    if (name >= 0) refuse('bad_input', { what: 'A label of the body has no value' })
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
