/** Bytes of a varint of a time in milliseconds, from 2004 to 2109. */
const TIME_BYTES = 6
/** What its first four bytes hold. */
const LOW_BITS = 2 ** 28
const VALUE_BYTES = 8
const SAMPLE_BYTES = 2 + VALUE_BYTES + TIME_BYTES
const MATCH_MIN = 4
const COPY_MAX = 64
const OFFSET_MAX = 65_535
/** Of a literal whose length is written in two bytes. */
const LITERAL_MAX = 65_536

/**
 * A request of remote write 1.0 whose times and values are written over in place. Labels are compressed as senders
 * compress them. Times and values are literals, in which their compressors find little.
 */
export class RemoteWriteTemplate {
  readonly #bytes: Buffer
  readonly #valuesAt: Uint32Array

  constructor(
    head: string,
    series: readonly (readonly (readonly [string, string])[])[],
    samples: number,
  ) {
    const { raw, valuesAt } = encode(series, samples)
    const { packed, placeOf } = pack(raw, valuesAt)
    const start = Buffer.from(`${head}Content-Length: ${packed.length}\r\n\r\n`)
    this.#bytes = Buffer.concat([start, packed])
    this.#valuesAt = valuesAt.map((at) => start.length + placeOf[at])
  }

  /** The request with a time and a value for each sample. */
  fill(timeOf: (sample: number) => number, numberOf: (sample: number) => number): Buffer {
    const bytes = this.#bytes
    for (let sample = 0; sample < this.#valuesAt.length; sample++) {
      const at = this.#valuesAt[sample]
      bytes.writeDoubleLE(numberOf(sample), at)
      const time = timeOf(sample)
      const low = time % LOW_BITS
      const high = Math.floor(time / LOW_BITS)
      const timeAt = at + VALUE_BYTES + 1
      bytes[timeAt] = low | 0x80
      bytes[timeAt + 1] = (low >>> 7) | 0x80
      bytes[timeAt + 2] = (low >>> 14) | 0x80
      bytes[timeAt + 3] = (low >>> 21) | 0x80
      bytes[timeAt + 4] = high | 0x80
      bytes[timeAt + 5] = high >>> 7
    }
    return bytes
  }
}

function field(number: number, bytes: Buffer): Buffer {
  const length: number[] = []
  let rest = bytes.length
  for (; rest >= 0x80; rest >>>= 7) length.push((rest & 0x7f) | 0x80)
  return Buffer.concat([Buffer.from([(number << 3) | 2, ...length, rest]), bytes])
}

/** The message, and where its values are. The time of a sample follows its value. */
function encode(
  series: readonly (readonly (readonly [string, string])[])[],
  samples: number,
): { readonly raw: Buffer; readonly valuesAt: Uint32Array } {
  const parts: Buffer[] = []
  const valuesAt = new Uint32Array(series.length * samples)
  let length = 0
  const message = Buffer.alloc(SAMPLE_BYTES)
  message[0] = 0x09
  message[1 + VALUE_BYTES] = 0x10
  const sample = field(2, message)
  for (const [at, labels] of series.entries()) {
    const texts = labels.map(([name, value]) =>
      field(1, Buffer.concat([field(1, Buffer.from(name)), field(2, Buffer.from(value))])),
    )
    const part = field(1, Buffer.concat([...texts, ...Array<Buffer>(samples).fill(sample)]))
    parts.push(part)
    length += part.length
    for (let place = 0; place < samples; place++) {
      const toEnd = (samples - place) * sample.length
      valuesAt[at * samples + place] = length - toEnd + sample.length - SAMPLE_BYTES + 1
    }
  }
  return { raw: Buffer.concat(parts), valuesAt }
}

interface Packed {
  readonly packed: Buffer
  /** Where each byte of a literal is in the block. */
  readonly placeOf: Uint32Array
}

/** A Snappy block in which times and values are literals. */
function pack(raw: Buffer, valuesAt: Uint32Array): Packed {
  const isChanged = new Uint8Array(raw.length)
  for (const at of valuesAt) isChanged.fill(1, at, at + VALUE_BYTES + 1 + TIME_BYTES)
  const packer = new Packer(raw, isChanged)
  packer.pack()
  return { packed: Buffer.from(packer.out), placeOf: packer.placeOf }
}

/** A compressor that takes the last place with the same four bytes. */
class Packer {
  readonly out: number[] = []
  readonly placeOf: Uint32Array
  readonly #raw: Buffer
  readonly #isChanged: Uint8Array
  readonly #seen = new Map<number, number>()
  #literalFrom = 0

  constructor(raw: Buffer, isChanged: Uint8Array) {
    this.#raw = raw
    this.#isChanged = isChanged
    this.placeOf = new Uint32Array(raw.length)
    let rest = raw.length
    for (; rest >= 0x80; rest >>>= 7) this.out.push((rest & 0x7f) | 0x80)
    this.out.push(rest)
  }

  pack(): void {
    const raw = this.#raw
    for (let at = 0; at < raw.length; ) {
      const from = this.#takeMatch(at)
      const length = from === undefined ? 0 : this.#matchLength(from, at)
      if (from === undefined || length < MATCH_MIN) {
        at += 1
        if (at - this.#literalFrom === LITERAL_MAX) this.#endLiteral(at)
        continue
      }
      this.#endLiteral(at)
      this.out.push(((length - 1) << 2) | 2, (at - from) & 0xff, (at - from) >>> 8)
      at += length
      this.#literalFrom = at
    }
    this.#endLiteral(raw.length)
  }

  /** The last place of the next four bytes, near enough for a copy. */
  #takeMatch(at: number): number | undefined {
    if (at + MATCH_MIN > this.#raw.length || this.#isChanged[at] === 1) return undefined
    const key = this.#raw.readUInt32LE(at)
    const from = this.#seen.get(key)
    this.#seen.set(key, at)
    return from !== undefined && at - from <= OFFSET_MAX ? from : undefined
  }

  #matchLength(from: number, at: number): number {
    const raw = this.#raw
    const isChanged = this.#isChanged
    let length = 0
    while (
      length < COPY_MAX &&
      at + length < raw.length &&
      raw[from + length] === raw[at + length]
    ) {
      if (isChanged[from + length] + isChanged[at + length] > 0) break
      length += 1
    }
    return length
  }

  #endLiteral(until: number): void {
    const { out } = this
    const length = until - this.#literalFrom
    if (length > 60) out.push(61 << 2, (length - 1) & 0xff, (length - 1) >>> 8)
    else if (length > 0) out.push((length - 1) << 2)
    for (let at = this.#literalFrom; at < until; at++) {
      this.placeOf[at] = out.length
      out.push(this.#raw[at])
    }
    this.#literalFrom = until
  }
}
