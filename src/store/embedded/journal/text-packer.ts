import type { SampleBatch } from '../../ports/sample-port.ts'

/** A step ends after this number of samples or UTF-16 units: a few milliseconds of encoding. */
const SAMPLES_PER_STEP = 16_384
const UNITS_PER_STEP = 2 * 1024 * 1024

/** Some texts of a batch: which samples they belong to, their lengths in bytes, and the bytes. */
interface TextPart {
  readonly indexes: Uint32Array
  readonly lengths: Uint32Array
  readonly bytes: Uint8Array
}

/** The texts of a batch as a record holds them, in parts that follow each other. */
export interface PackedTexts {
  readonly count: number
  readonly bytes: number
  readonly parts: readonly TextPart[]
}

/** A batch without texts. */
const NO_TEXTS: PackedTexts = { count: 0, bytes: 0, parts: [] }

/**
 * Encodes the texts of a batch, step by step, so that a batch with very many or very long ones can
 * let others in between. A lone surrogate becomes U+FFFD, for the journal and for `texts` alike.
 */
export class TextPacker {
  #texts: ReadonlyArray<string | undefined>
  #copy: Array<string | undefined> | undefined
  readonly #samples: number
  readonly #parts: TextPart[] = []
  #at = 0
  #count = 0
  #bytes = 0

  constructor(texts: ReadonlyArray<string | undefined>, samples: number) {
    this.#texts = texts
    this.#samples = samples
  }

  get isDone(): boolean {
    return this.#at >= this.#samples
  }

  /** The texts as they survive UTF-8, once all steps are done; the array given, if it holds such. */
  get texts(): ReadonlyArray<string | undefined> {
    return this.#texts
  }

  get packed(): PackedTexts {
    return { count: this.#count, bytes: this.#bytes, parts: this.#parts }
  }

  /** Encodes some more texts. */
  step(): void {
    const from = this.#at
    const end = Math.min(this.#samples, from + SAMPLES_PER_STEP)
    let [count, units, bytes, at] = [0, 0, 0, from]
    for (; at < end && units < UNITS_PER_STEP; at += 1) {
      const text = this.#texts[at]
      if (text === undefined) continue
      if (!text.isWellFormed()) this.#repair(at, text)
      count += 1
      units += text.length
      bytes += Buffer.byteLength(this.#texts[at] ?? '', 'utf8')
    }
    this.#at = at
    if (count > 0) this.#encode(from, { until: at, count, bytes })
  }

  #repair(at: number, text: string): void {
    // The array belongs to the caller.
    this.#copy ??= this.#texts.slice()
    this.#copy[at] = text.toWellFormed()
    this.#texts = this.#copy
  }

  #encode(from: number, size: { until: number; count: number; bytes: number }): void {
    const indexes = new Uint32Array(size.count)
    const lengths = new Uint32Array(size.count)
    const bytes = Buffer.allocUnsafe(size.bytes)
    let done = 0
    let end = 0
    for (let at = from; at < size.until; at += 1) {
      const text = this.#texts[at]
      if (text === undefined) continue
      const length = bytes.write(text, end, 'utf8')
      indexes[done] = at
      lengths[done] = length
      end += length
      done += 1
    }
    this.#parts.push({ indexes, lengths, bytes })
    this.#count += size.count
    this.#bytes += size.bytes
  }
}

/** The texts of a batch, packed at once. */
export function packTexts({ texts, count }: SampleBatch): PackedTexts {
  if (texts === undefined) return NO_TEXTS
  const packer = new TextPacker(texts, count)
  while (!packer.isDone) packer.step()
  return packer.packed
}
