import type { JsonBytes } from './json-bytes.ts'

/** Rows of a time and a number, each written behind the same bytes. */
interface NumberRows {
  readonly count: number
  readonly times: Float64Array
  readonly numbers: Float64Array
  /** What stands before the time of each row but the first. */
  readonly beforeTime: Uint8Array
  /** What stands between time and number: eight bytes. */
  readonly beforeNumber: Uint8Array
}

const MINUS = 0x2d
const DOT = 0x2e
/** Times between 2001 and 2286 have 13 digits: seven that rarely change, and six. */
const TIME_FROM = 1e12
const TIME_UNTIL = 1e13
const TIME_LOW = 1_000_000
const HIGH_DIGITS = 7
/** Room for any time and any number. */
const ROW_BYTES_MAX = 64
/** Rows that room is made for at a time. */
const ROWS_PER_SLICE = 256
/** Rows written the general way after one that is not usual: its neighbours mostly are not either. */
const UNUSUAL_ROWS = 8
/** Hundredths below this have a whole part of at most four digits. */
const HUNDREDTHS_UNTIL = 1_000_000
const WORD_BYTES = 8

/** The two digits of each number below 100, as they lie in memory. */
const PAIRS = Uint16Array.from(
  { length: 100 },
  (_, pair) => ((0x30 + (pair % 10)) << 8) | (0x30 + Math.floor(pair / 10)),
)

/**
 * The bytes before the digits of a time that change, as words of eight bytes that are stored at once;
 * the last one overlaps the one before it. A word is a double, which keeps every bit: no text in
 * UTF-8 has the pattern of a NaN, whose bytes would be 0x7f or 0xff behind one above 0xef.
 */
class RowHead {
  readonly bytes: number
  readonly words: Float64Array
  readonly #view: DataView
  readonly #digitsAt: number
  #high = -1

  constructor(beforeTime: Uint8Array) {
    this.#digitsAt = beforeTime.length
    this.bytes = beforeTime.length + HIGH_DIGITS
    this.words = new Float64Array(Math.ceil(this.bytes / WORD_BYTES))
    this.#view = new DataView(new ArrayBuffer(this.bytes))
    new Uint8Array(this.#view.buffer).set(beforeTime)
  }

  /** Makes the words say the upper digits of a time. */
  show(high: number): void {
    if (high === this.#high) return
    this.#high = high
    let rest = high
    for (let place = this.bytes - 1; place >= this.#digitsAt; place--) {
      this.#view.setUint8(place, 0x30 + (rest % 10))
      rest = Math.floor(rest / 10)
    }
    for (let word = 0; word < this.words.length; word++) {
      const at = Math.min(word * WORD_BYTES, this.bytes - WORD_BYTES)
      this.words[word] = this.#view.getFloat64(at, true)
    }
  }
}

/** Writes hundredths below a million as the shortest decimal; answers where it ends. */
function writeHundredths(view: DataView, at: number, hundredths: number): number {
  let pos = at
  const whole = (hundredths / 100) | 0
  const fraction = hundredths - whole * 100
  if (whole > 99) {
    const high = (whole / 100) | 0
    if (high > 9) {
      view.setUint16(pos, PAIRS[high], true)
      pos += 2
    } else view.setUint8(pos++, 0x30 + high)
    view.setUint16(pos, PAIRS[whole - high * 100], true)
    pos += 2
  } else if (whole > 9) {
    view.setUint16(pos, PAIRS[whole], true)
    pos += 2
  } else view.setUint8(pos++, 0x30 + whole)
  if (fraction === 0) return pos
  view.setUint8(pos, DOT)
  // A last zero is overwritten by what follows.
  view.setUint16(pos + 1, PAIRS[fraction], true)
  return pos + (fraction % 10 === 0 ? 2 : 3)
}

/** Writes rows as long as they are of the usual kind; answers the first that is not. */
function writeUsual(
  out: JsonBytes,
  rows: NumberRows,
  { from, until, head }: { from: number; until: number; head: RowHead },
): number {
  const { times, numbers, beforeNumber } = rows
  const bytes = out.reserve((until - from) * (ROW_BYTES_MAX + head.bytes))
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  const { words, bytes: headBytes } = head
  const lastWordAt = headBytes - WORD_BYTES
  const data = new DataView(beforeNumber.buffer, beforeNumber.byteOffset).getFloat64(0, true)
  let pos = out.length
  let index = from
  for (; index < until; index++) {
    const time = times[index]
    const size = Math.abs(numbers[index])
    const hundredths = Math.round(size * 100)
    if (!(time >= TIME_FROM && time < TIME_UNTIL)) break
    // Two decimals of so few digits never share a double, so this is the shortest form of it.
    if (!(hundredths < HUNDREDTHS_UNTIL && hundredths / 100 === size)) break
    const high = Math.floor(time / TIME_LOW)
    head.show(high)
    const lastWord = words.length - 1
    for (let word = 0; word < lastWord; word++) {
      view.setFloat64(pos + word * WORD_BYTES, words[word], true)
    }
    view.setFloat64(pos + lastWordAt, words[lastWord], true)
    pos += headBytes
    const low = (time - high * TIME_LOW) | 0
    const first = (low / 10_000) | 0
    const rest = low - first * 10_000
    const middle = (rest / 100) | 0
    view.setUint16(pos, PAIRS[first], true)
    view.setUint16(pos + 2, PAIRS[middle], true)
    view.setUint16(pos + 4, PAIRS[rest - middle * 100], true)
    view.setFloat64(pos + 6, data, true)
    pos += 6 + WORD_BYTES
    // Dividing one by it distinguishes -0 from 0.
    if (1 / numbers[index] < 0) view.setUint8(pos++, MINUS)
    pos = writeHundredths(view, pos, hundredths | 0)
  }
  out.length = pos
  return index
}

/**
 * Adds rows to a text, in the same digits as its own whole() and number(). Most rows are times of 13
 * digits and decimals of two places below 10,000: they are stored in words, and the text's
 * own methods write the others.
 */
export function writeNumberRows(out: JsonBytes, rows: NumberRows): void {
  const head = new RowHead(rows.beforeTime)
  writeGeneral(out, rows, 0, Math.min(1, rows.count))
  let unusualRows = UNUSUAL_ROWS
  for (let index = 1; index < rows.count; ) {
    const until = Math.min(rows.count, index + ROWS_PER_SLICE)
    const reached = writeUsual(out, rows, { from: index, until, head })
    // Trying each time would make a series of other numbers dear.
    unusualRows = reached > index ? UNUSUAL_ROWS : unusualRows * 2
    index = reached
    if (index === until) continue
    const general = Math.min(rows.count, index + unusualRows)
    writeGeneral(out, rows, index, general)
    index = general
  }
}

function writeGeneral(out: JsonBytes, rows: NumberRows, from: number, until: number): void {
  const { times, numbers, beforeTime, beforeNumber } = rows
  for (let index = from; index < until; index++) {
    if (index > 0) out.raw(beforeTime)
    out.whole(times[index])
    out.raw(beforeNumber)
    out.number(numbers[index])
  }
}
