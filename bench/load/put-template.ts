/** How the samples of a body are written. */
export interface BodyForm {
  readonly open: string
  readonly between: string
  readonly close: string
  /** One sample; the time is replaced by 13 digits and the value by `dd.dd`, or by 17 digits. */
  sample(stream: StreamName, time: string, value: string): string
}

/** The parts of a put that one service's wire form asks for. */
export interface WireForm extends BodyForm {
  /** Method, path and headers without Content-Length, each line with its line end. */
  readonly head: string
  /** The other ways in which clients write the same body; none where there is one way only. */
  readonly spaced?: BodyForm
  readonly indented?: BodyForm
}

/** A stream as every service knows it: a component (or tag) and a stream in it. */
export interface StreamName {
  readonly compId: string
  readonly streamId: string
}

const TIME_MARK = '1000000000000'
const VALUE_MARK = '10.00'

/** What stands for a value of 17 digits. */
export const LONG_VALUE_MARK = '10.000000000000000'

/**
 * A request of fixed length whose times and values are written over in place: the generator makes a
 * thousand samples in a few microseconds.
 */
export class PutTemplate {
  readonly #bytes: Buffer
  readonly #timesAt: Uint32Array
  readonly #valuesAt: Uint32Array
  readonly #digits = new Uint8Array(TIME_MARK.length)
  /** The second that the first ten digits spell. */
  #second = Number.NaN

  /** One sample, or one line of several values, per entry of streams, which may repeat a stream. */
  constructor(form: WireForm, streams: readonly StreamName[], valueMark = VALUE_MARK) {
    const samples = streams.map((stream) => form.sample(stream, TIME_MARK, valueMark))
    const body = form.open + samples.join(form.between) + form.close
    const head = `${form.head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n`
    this.#bytes = Buffer.from(head + body)
    this.#timesAt = placesOf(this.#bytes, TIME_MARK)
    this.#valuesAt = placesOf(this.#bytes, valueMark)
  }

  /** The request with a sample's time and value (whole hundredths from 1000 to 9999) each. */
  fill(timeOf: (sample: number) => number, hundredthsOf: (sample: number) => number): Buffer {
    this.#fillTimes(timeOf)
    for (let sample = 0; sample < this.#valuesAt.length; sample++) {
      this.#writeValue(this.#valuesAt[sample], hundredthsOf(sample))
    }
    return this.#bytes
  }

  /** The request with values of as many bytes as the mark, each from its place in `texts` on. */
  fillTexts(
    timeOf: (sample: number) => number,
    texts: Uint8Array,
    placeOf: (sample: number) => number,
  ): Buffer {
    this.#fillTimes(timeOf)
    for (let sample = 0; sample < this.#valuesAt.length; sample++) {
      const at = this.#valuesAt[sample]
      const place = placeOf(sample)
      for (let byte = 0; byte < LONG_VALUE_MARK.length; byte++) {
        this.#bytes[at + byte] = texts[place + byte]
      }
    }
    return this.#bytes
  }

  #fillTimes(timeOf: (sample: number) => number): void {
    for (let sample = 0; sample < this.#timesAt.length; sample++) {
      this.#spell(timeOf(sample))
      const at = this.#timesAt[sample]
      for (let digit = 0; digit < TIME_MARK.length; digit++) {
        this.#bytes[at + digit] = this.#digits[digit]
      }
    }
  }

  /** Times of one call lie near each other: their upper digits are mostly spelled already. */
  #spell(time: number): void {
    const second = Math.floor(time / 1_000)
    const ms = time - second * 1_000
    if (second !== this.#second) this.#spellSecond(second)
    this.#digits[10] = 48 + ((ms / 100) | 0)
    this.#digits[11] = 48 + (((ms / 10) | 0) % 10)
    this.#digits[12] = 48 + (ms % 10)
  }

  #spellSecond(second: number): void {
    this.#second = second
    let rest = second
    for (let digit = 9; digit >= 0; digit--) {
      const higher = Math.floor(rest / 10)
      this.#digits[digit] = 48 + (rest - higher * 10)
      rest = higher
    }
  }

  #writeValue(at: number, hundredths: number): void {
    this.#bytes[at] = 48 + ((hundredths / 1_000) | 0)
    this.#bytes[at + 1] = 48 + (((hundredths / 100) | 0) % 10)
    this.#bytes[at + 3] = 48 + (((hundredths / 10) | 0) % 10)
    this.#bytes[at + 4] = 48 + (hundredths % 10)
  }
}

function placesOf(bytes: Buffer, mark: string): Uint32Array {
  const places: number[] = []
  for (let at = bytes.indexOf(mark); at >= 0; at = bytes.indexOf(mark, at + 1)) places.push(at)
  return Uint32Array.from(places)
}

/** A slow sensor: hundredths that move by a few steps, the same ones for every service. */
export class Walk {
  #state: number
  #hundredths = 2_137

  constructor(seed: number) {
    this.#state = Math.imul(seed, 0x9e3779b1) >>> 0
  }

  /** The next value in hundredths, between 10.00 and 99.99. */
  next(): number {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0
    const moved = this.#hundredths + ((this.#state >>> 16) % 7) - 3
    if (moved >= 1_000 && moved <= 9_999) this.#hundredths = moved
    return this.#hundredths
  }
}
