import {
  PROMQL_POINTS_MAX,
  PromqlError,
  type QueryResult,
  type QueryValue,
  type SeriesLabels,
} from '../../promql/index.ts'

/** What bounds a written result. */
interface WriteOptions {
  /** Most series; 0 for all. */
  readonly limit: number
  readonly bytesMax: number
  /** Throws when nobody waits any more. */
  readonly checkStop: () => void
}

/** Characters that become bytes at once. */
const PIECE_LENGTH = 64 * 1024

/** The warning of Prometheus for `limit`. */
const TRUNCATED = 'results truncated due to limit'

/** The answer to a query, as Prometheus writes it. */
export function writeResult(
  { value, warnings, infos }: QueryResult,
  { limit, bytesMax, checkStop }: WriteOptions,
): Uint8Array<ArrayBuffer> {
  const writer = new ByteWriter(bytesMax)
  writer.add(`{"status":"success","data":{"resultType":"${value.type}","result":`)
  const isCut = writeValue(writer, value, { limit, checkStop })
  writer.add('}')
  writeNotes(writer, { warnings, infos }, isCut)
  return writer.bytes()
}

/** Items as JSON, and what the caller should hear. */
export interface FoundList {
  readonly items: readonly string[]
  readonly warnings: readonly string[]
  readonly infos: readonly string[]
}

/** The answer with a list, as Prometheus writes it. */
export function writeList(
  { items, warnings, infos }: FoundList,
  { limit, bytesMax }: Omit<WriteOptions, 'checkStop'>,
): Uint8Array<ArrayBuffer> {
  const writer = new ByteWriter(bytesMax)
  const shown = limit > 0 ? items.slice(0, limit) : items
  writer.add('{"status":"success","data":[')
  for (const [at, item] of shown.entries()) writer.add(at === 0 ? item : `,${item}`)
  writer.add(']')
  writeNotes(writer, { warnings, infos }, shown.length < items.length)
  return writer.bytes()
}

/** The end of an envelope. */
function writeNotes(
  writer: ByteWriter,
  { warnings, infos }: Pick<FoundList, 'warnings' | 'infos'>,
  isCut: boolean,
): void {
  const allWarnings = isCut ? [...warnings, TRUNCATED] : warnings
  if (allWarnings.length > 0) writer.add(`,"warnings":${JSON.stringify(allWarnings)}`)
  if (infos.length > 0) writer.add(`,"infos":${JSON.stringify(infos)}`)
  writer.add('}')
}

/** Returns whether the limit has cut off series. */
function writeValue(
  writer: ByteWriter,
  value: QueryValue,
  { limit, checkStop }: Omit<WriteOptions, 'bytesMax'>,
): boolean {
  switch (value.type) {
    case 'scalar':
      writer.add(pointText(value.time, value.value))
      return false
    case 'string':
      writer.add(`[${secondsText(value.time)},${JSON.stringify(value.value)}]`)
      return false
    case 'vector': {
      const { samples, time } = value
      const shown = limit > 0 ? samples.slice(0, limit) : samples
      writer.add('[')
      for (const [at, sample] of shown.entries()) {
        writer.add(at === 0 ? '{' : ',{')
        writer.add(
          `"metric":${labelsText(sample.labels)},"value":${pointText(time, sample.value)}}`,
        )
        if (at % 1024 === 0) checkStop()
      }
      writer.add(']')
      return shown.length < samples.length
    }
    case 'matrix': {
      const shown = limit > 0 ? value.series.slice(0, limit) : value.series
      // Series have points at the same times.
      const seconds = new Map<number, string>()
      writer.add('[')
      for (const [at, { labels, times, values }] of shown.entries()) {
        checkStop()
        writer.add(`${at === 0 ? '{' : ',{'}"metric":${labelsText(labels)},"values":[`)
        for (let point = 0; point < times.length; point++) {
          const time = times[point]
          let text = seconds.get(time)
          if (text === undefined) {
            text = secondsText(time)
            if (seconds.size < PROMQL_POINTS_MAX) seconds.set(time, text)
          }
          writer.add(`${point > 0 ? ',[' : '['}${text},"${valueText(values[point])}"]`)
        }
        writer.add(']}')
      }
      writer.add(']')
      return shown.length < value.series.length
    }
  }
}

/** Labels as an object, in the order of their names. */
export function labelsText(labels: SeriesLabels): string {
  const fields: string[] = []
  for (let at = 0; at < labels.length; at += 2) {
    fields.push(`${JSON.stringify(labels[at])}:${JSON.stringify(labels[at + 1])}`)
  }
  return `{${fields.join(',')}}`
}

function pointText(time: number, value: number): string {
  return `[${secondsText(time)},"${valueText(value)}"]`
}

/** Seconds with three digits behind the point, unless all of these are 0. */
function secondsText(time: number): string {
  const sign = time < 0 ? '-' : ''
  const whole = Math.abs(time)
  const fraction = whole % 1000
  const seconds = `${sign}${Math.floor(whole / 1000)}`
  return fraction === 0 ? seconds : `${seconds}.${`${fraction}`.padStart(3, '0')}`
}

/** A value as Go writes it. JavaScript has exponents for the same numbers, but of one digit where Go has two. */
function valueText(value: number): string {
  const magnitude = Math.abs(value)
  // Nearly all values: no exponent, and no sign of a zero.
  if (magnitude >= 1e-6 && magnitude < 1e21) return `${value}`
  if (Number.isFinite(value)) {
    const text = Object.is(value, -0) ? '-0' : `${value}`
    return text.replace(/e([-+])(\d)$/, 'e$10$2')
  }
  if (Number.isNaN(value)) return 'NaN'
  return value > 0 ? '+Inf' : '-Inf'
}

/** Collects texts as bytes, up to a bound. */
class ByteWriter {
  readonly #bytesMax: number
  readonly #pieces: Buffer[] = []
  #text = ''
  #length = 0

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  add(text: string): void {
    this.#text += text
    if (this.#text.length >= PIECE_LENGTH) this.#settle()
  }

  #settle(): void {
    const piece = Buffer.from(this.#text)
    this.#text = ''
    this.#length += piece.length
    if (this.#length > this.#bytesMax) {
      throw new PromqlError(
        'execution',
        `the answer has more than ${this.#bytesMax} bytes. Use a longer step, or aggregate series`,
      )
    }
    this.#pieces.push(piece)
  }

  bytes(): Uint8Array<ArrayBuffer> {
    this.#settle()
    const all = new Uint8Array(this.#length)
    let at = 0
    for (const piece of this.#pieces) {
      all.set(piece, at)
      at += piece.length
    }
    return all
  }
}
