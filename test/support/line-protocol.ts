/** Bodies of line protocol, what a reference decoder accepts of them, and what ours does. */
import { isSampleTime } from '../../src/base/index.ts'
import { VALUE_NULL, VALUE_NUMBER, VALUE_TEXT, VALUE_TRUE } from '../../src/feed/index.ts'
import { LineReader, SeriesCache } from '../../src/intake/index.ts'
import type { StreamHandle } from '../../src/store/index.ts'
import type { Random } from './random.ts'

/** A line as the reference decoder reads it. */
export interface ReferenceLine {
  readonly measurement: string
  readonly tags: readonly (readonly [key: string, value: string])[]
  readonly fields: readonly (readonly [key: string, kind: string, value: string])[]
  readonly time: string
}

/** A point: its series, its value, and its time in epoch milliseconds, null for none. */
export type Point = readonly [series: string, value: unknown, time: number | null]

const PIECES = [
  'm',
  'cpu',
  'm\\ n',
  'm\\,n',
  'a=b',
  '\\',
  '温',
  '#x',
  '"',
  '\\=',
  '\\\\',
  ' ',
  '  ',
  ',',
  ',a=x',
  ',b=y',
  ',a=',
  ',=x',
  ',a\\ b=c\\=d',
  ',t=1',
  ' f=1',
  ' f=1,g=2',
  'f',
  '=',
  'f=2',
  '1',
  '1.5',
  '-1',
  '1e3',
  '1E-5',
  '.5',
  '5.',
  '1i',
  '-7i',
  '12u',
  '1_0',
  '0x1p4',
  '0x.8P-1',
  '1e400',
  '1e-400',
  '0x1p-1074',
  '0x1.8p-1074',
  '0x1p1024',
  '1__0',
  '0x_1p1',
  '1e1_0',
  '-0',
  '9223372036854775807i',
  '9223372036854775808i',
  '18446744073709551615u',
  '9007199254740993i',
  ...[
    '0.30000000000000004',
    '123456789012345678901234567890',
    '4.9e-324',
    '1.7976931348623157e308',
  ],
  ...[
    't',
    'true',
    'F',
    'False',
    'tru',
    'TRUE',
    '"text"',
    '"a\\"b"',
    '"a\nb"',
    '"a\\nb"',
    '"a\\\\"',
  ],
  ...[
    ' 1700000000000000000',
    ' 17',
    ' -5',
    ' 1.5',
    ' 9223372036854775808',
    '\n',
    '\n',
    '\n',
    '\r\n',
  ],
  ...[
    '\r',
    '\t',
    '\0',
    '\x7f',
    '# comment\n',
    '# tab\t\n',
    'm f=1\n',
    'm,a=x f=1,g="y" 1\n',
    '-',
    'i',
  ],
]

/** A body that is put together of pieces, mostly valid lines with some bytes changed. */
export function randomBody(random: Random): Buffer {
  const pieces: string[] = []
  const count = random.integer(1, 30)
  for (let at = 0; at < count; at++) {
    pieces.push(random.next() < 0.5 ? randomLine(random) : random.pick(PIECES))
  }
  const body = Buffer.from(pieces.join(''))
  if (random.next() < 0.3) body[random.integer(0, body.length)] = random.integer(0, 256)
  return body
}

function randomLine(random: Random): string {
  const tags = [',a=x', ',b=y', ',c\\ d=\\=z', '', '']
  const head = random.pick(['m', 'n', 'm\\ o']) + random.pick(tags) + random.pick(tags)
  const values = PIECES.filter((piece) => /^["\d.tTfF-]/.test(piece))
  const fields = Array.from({ length: random.integer(1, 4) }, () => {
    return `${random.pick(['f', 'g', 'value', 'h\\=i'])}=${random.pick(values)}`
  })
  const time = random.pick([' 1700000000000000000', ' 1600000000123456789', ' -1', ''])
  return `${head} ${fields.join(',')}${time}${random.pick(['\n', '\r\n', ' \n', '\n\n'])}`
}

/** The points of what the reference decoder accepts, less what Weir refuses by rules of its own. */
export function pointsOfReference(lines: readonly ReferenceLine[]): Point[] {
  return lines.flatMap(({ measurement, tags, fields, time }) => {
    const names = tags.map(([key]) => key)
    if (new Set(names).size < names.length || names.includes('__name__')) return []
    const ms = time === '' ? null : Number(floorDivide(BigInt(time), 1_000_000n))
    if (ms !== null && !isSampleTime(ms)) return []
    const last = new Map(fields.map(([key], at) => [key, at]))
    const kept = fields.filter(([key], at) => last.get(key) === at)
    return kept.map(([key, kind, value]): Point => {
      const name = key === 'value' ? measurement : `${measurement}_${key}`
      return [seriesText(name, tags), shownValue(kind, value), ms]
    })
  })
}

function floorDivide(value: bigint, by: bigint): bigint {
  const rest = value % by
  return (value - rest) / by - (rest < 0n ? 1n : 0n)
}

function shownValue(kind: string, value: string): unknown {
  if (kind === 'text') return value
  return kind === 'boolean' ? value === 'true' : Number(value)
}

function seriesText(name: string, tags: Iterable<readonly [string, string]>): string {
  const sorted = [...tags].sort(([a], [b]) => (a < b ? -1 : 1))
  return JSON.stringify([name, sorted])
}

/** A cache that knows no series; one that several bodies share knows those of the bodies before. */
export function emptySeriesCache(): SeriesCache {
  return new SeriesCache({ seriesGeneration: 0, has: () => true })
}

/** The texts of the series that a cache has learned, by their handles. */
const learned = new WeakMap<SeriesCache, string[]>()

/** The points that ours reads, line by line. */
export function pointsOfReader(body: Buffer, cache = emptySeriesCache()): Point[] {
  const bounds = { samplesMax: 1_000_000, seriesMax: 20_000 }
  const reader = new LineReader(body, cache, { ...bounds, precision: 'ns' })
  const { samples } = reader.begin()
  while (reader.read('org', 16));
  const known = learned.get(cache) ?? ['']
  learned.set(cache, known)
  const texts = Array.from({ length: samples.count }, (_, index) => known[samples.handles[index]])
  for (const open of samples.series) {
    const { __name__: name, ...tags } = open.series
    const text = seriesText(name, Object.entries(tags))
    for (const index of open.samples) texts[index] = text
    open.handle = (known.push(text) - 1) as StreamHandle
  }
  reader.learn()
  return texts.flatMap((text, index): Point[] => {
    const kind = samples.kinds[index]
    if (kind === VALUE_NULL) return []
    const time = samples.times[index]
    const isOther = kind === VALUE_TEXT ? samples.texts?.[index] : kind === VALUE_TRUE
    const value = kind === VALUE_NUMBER ? samples.numbers[index] : isOther
    return [[text, value, Number.isNaN(time) ? null : time]]
  })
}
