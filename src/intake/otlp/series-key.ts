/** Writes the bytes by which the series cache knows a series of OpenTelemetry. */
export class SeriesKey {
  bytes = Buffer.alloc(1_024)
  length = 0

  /** Drops what was written behind a place. */
  cut(length: number): void {
    this.length = length
  }

  addByte(byte: number): void {
    this.#makeRoom(1)
    this.bytes[this.length] = byte
    this.length += 1
  }

  /** Writes an integer over what is at a place. */
  setInteger(value: number, at: number): void {
    this.bytes.writeInt32LE(value, at)
  }

  /** Adds a text with its length, so that texts that follow each other cannot be read as others. */
  addText(text: string): void {
    const length = Buffer.byteLength(text)
    this.addInteger(length)
    this.#makeRoom(length)
    this.length += this.bytes.write(text, this.length)
  }

  addBytes(source: Buffer, from: number, until: number): void {
    this.#makeRoom(until - from)
    this.length += source.copy(this.bytes, this.length, from, until)
  }

  addInteger(value: number): void {
    this.#makeRoom(4)
    this.length = this.bytes.writeInt32LE(value, this.length)
  }

  addDouble(value: number): void {
    this.#makeRoom(8)
    this.length = this.bytes.writeDoubleLE(value, this.length)
  }

  #makeRoom(length: number): void {
    const needed = this.length + length
    if (needed <= this.bytes.length) return
    const grown = Buffer.alloc(Math.max(needed, 2 * this.bytes.length))
    this.bytes.copy(grown, 0, 0, this.length)
    this.bytes = grown
  }
}
