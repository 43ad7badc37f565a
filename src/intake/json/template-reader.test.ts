import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../test/support/fast-check.ts'
import { roundsOf } from '../../../test/support/random.ts'
import { IncomingSamples } from '../../feed/index.ts'
import type { StreamHandle } from '../../store/index.ts'
import { StreamCache } from '../stream-cache.ts'
import { readParsedJson } from './parsed-json.ts'
import { SampleArrayParser } from './sample-array-parser.ts'
import { SampleTemplates } from './sample-templates.ts'
import { TemplateReader } from './template-reader.ts'
import { noTemplate } from './template-spans.ts'

/** IDs that are beginnings of each other, hold what looks like JSON, or more than ASCII. */
const KNOWN_IDS = ['a', 'ab', 'abc', 'abcdefgh', 'abcdefghi', 'ö😀 x', "b':{,}"]
/** No stream has these; the last ones make a body unusual. */
const OTHER_IDS = ['new', '', 'l'.repeat(600)]
const IDS = [...KNOWN_IDS, ...OTHER_IDS]
const STREAMS = IDS.flatMap((compId) => IDS.map((streamId) => ({ compId, streamId })))
const ORGS = ['o', 'p']

const isKnown = (stream: number) =>
  KNOWN_IDS.includes(STREAMS[stream].compId) && KNOWN_IDS.includes(STREAMS[stream].streamId)

/** A catalog in which every organization and generation has handles of its own. */
class Catalog {
  generation = 0
  readonly cache: StreamCache

  constructor(formFieldsMax?: number) {
    const templates = new SampleTemplates(formFieldsMax)
    this.cache = new StreamCache(this, templates)
  }

  parserOf(bytes: Buffer, orgUid = 'o'): SampleArrayParser {
    return new SampleArrayParser(bytes, { cache: this.cache, orgUid, createMax: 1_000_000 })
  }

  resolve(orgUid: string, compId: string, streamId: string): StreamHandle | 0 {
    return this.handleOf(orgUid, { compId, streamId })
  }

  keepsDigits(): boolean {
    return true
  }

  handleOf(orgUid: string, id: { compId?: string; streamId?: string }): StreamHandle | 0 {
    const is = (one: (typeof STREAMS)[0]) =>
      one.compId === id.compId && one.streamId === id.streamId
    const stream = STREAMS.findIndex(is)
    if (stream < 0 || !isKnown(stream)) return 0
    const org = this.generation * ORGS.length + ORGS.indexOf(orgUid)
    return (1 + org * STREAMS.length + stream) as StreamHandle
  }
}

interface Written {
  readonly stream: number
  readonly time?: number
  readonly data: unknown
}

type Style = (sample: Written) => string

const keyed = (keys: readonly string[], colon: string, comma: string): Style => {
  return ({ stream, time, data }) => {
    const values: Record<string, unknown> = { ...STREAMS[stream], time, data }
    const fields = keys.filter((key) => values[key] !== undefined)
    const text = fields.map((key) => `"${key}"${colon}${JSON.stringify(values[key])}`)
    return `{${text.join(comma)}}`
  }
}

const ORDERS = [
  ['compId', 'streamId', 'time', 'data'],
  ['compId', 'streamId', 'data', 'time'],
  ['streamId', 'compId', 'time', 'data'],
  ['time', 'compId', 'streamId', 'data'],
  ['compId', 'time', 'streamId', 'data'],
  ['compId', 'streamId', 'compId', 'time', 'data'],
  ['compId', 'streamId', 'data', 'data'],
  ['compId', 'streamId', 'time', 'data', 'time'],
  ['compId', 'streamId', 'time', 'compId', 'data'],
]
const styles = fc
  .tuple(
    fc.oneof({ weight: 3, arbitrary: fc.constant(ORDERS[0]) }, fc.constantFrom(...ORDERS)),
    fc.constantFrom(':', ': ', ' : ', `:${' '.repeat(30)}`),
    fc.constantFrom(',', ', ', ',\n    ', `,${'\t'.repeat(70)}`),
  )
  .map(([keys, colon, comma]) => keyed(keys, colon, comma))

const usualStreams = fc.nat(STREAMS.length - 1).filter(isKnown)
const times = fc.oneof(
  { weight: 6, arbitrary: fc.nat(3).map((step) => 1_763_000_000_000 + step * 99_999) },
  fc.constantFrom(
    undefined,
    999_999_999_999,
    1_000_000_000_000,
    9_214_646_399_999,
    9_214_646_400_000,
    -5,
    0,
  ),
  fc.integer({ min: 1_000_000_000_000, max: 9_214_646_399_999 }),
)
const data = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: -99_999, max: 99_999 }).map((n) => n / 100) },
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom('on', null, true, 0, 1e21, 1_763_000_000_000),
)

/** Samples as devices send them: the same streams in a round, some of them missing. */
const lists = fc
  .tuple(
    fc.array(fc.oneof({ weight: 19, arbitrary: usualStreams }, fc.nat(STREAMS.length - 1)), {
      minLength: 1,
      maxLength: 6,
    }),
    fc.array(fc.tuple(times, data, fc.nat(9)), { maxLength: 24 }),
    fc.nat(4),
  )
  .map(([round, values, draw]) =>
    values
      .map(([time, value, keep], at) => ({
        stream: round[at % round.length],
        time: draw === 0 ? undefined : time,
        data: value,
        isLeftOut: keep === 0,
      }))
      .filter((one) => !one.isLeftOut),
  )

const bodies = fc.record({
  list: lists,
  /** Each time other samples are left out. */
  isPartial: fc.boolean(),
  style: styles,
  otherStyle: styles,
  otherEvery: fc.constantFrom(0, 0, 2, 7),
  between: fc.constantFrom(',', ', ', ',\n  '),
  /** The same streams are sent again and again, by this one and by another. */
  orgs: fc.array(fc.constantFrom(...ORGS), { minLength: 1, maxLength: 4 }),
  slice: fc.constantFrom(1, 100, 1_000, 1_000_000),
  isNewGeneration: fc.nat(5).map((draw) => draw === 0),
  isNewAmidst: fc.nat(9).map((draw) => draw === 0),
  cut: fc.option(fc.nat(2_000), { freq: 4 }),
})
type Body = typeof bodies extends fc.Arbitrary<infer T> ? T : never

/** A body's text; the times of its later rounds differ. */
function write(body: Body, round: number): string {
  const { list, isPartial, style, otherStyle, otherEvery, between } = body
  const sent = isPartial ? list.filter((_, at) => (at * 7 + round * 3) % 5 !== 0) : list
  const samples = sent.map((sample, at) => {
    const time = sample.time === undefined ? undefined : sample.time - round * 10_000
    const isOther = otherEvery > 0 && at % otherEvery === 0
    return (isOther ? otherStyle : style)({ ...sample, time })
  })
  return `[${samples.join(between)}]`
}

const memory = Buffer.alloc(200_000)

/** The bytes of a body in memory that is used again and again, with older bodies around it. */
function placed(text: string): Buffer {
  const from = 5 + (text.length % 7)
  const length = memory.write(text, from)
  return memory.subarray(from, from + length)
}

/** What the byte parser makes of a body, with the handles that each sample should have. */
function parse(
  catalog: Catalog,
  body: { org: string; slice: number; isNewAmidst: boolean },
  bytes: Buffer,
) {
  const parser = catalog.parserOf(bytes, body.org)
  const generations: number[] = []
  for (;;) {
    const step = parser.step(body.slice)
    while (generations.length < parser.samples.count) generations.push(catalog.generation)
    if (step !== 'more') return { step, samples: parser.samples, generations }
    if (body.isNewAmidst) catalog.generation += 1
  }
}

function check(catalog: Catalog, body: Parameters<typeof parse>[1], text: string): string {
  const bytes = placed(text)
  const { step, samples, generations } = parse(catalog, body, bytes)
  if (step !== 'done') return step
  const expected = readParsedJson(Buffer.from(bytes))
  const current = catalog.generation
  const targets = expected.open.flatMap((target) =>
    target.samples.map((at) => [at, target] as const),
  )
  const handles = Array.from<number>({ length: samples.count })
  for (const [at, target] of targets) {
    catalog.generation = generations[at]
    handles[at] = catalog.handleOf(body.org, target)
  }
  catalog.generation = current
  assert.equal(samples.count, expected.count)
  const { count } = samples
  assert.deepEqual([...samples.handles.subarray(0, count)], handles)
  assert.deepEqual(samples.times.subarray(0, count), expected.times.subarray(0, count))
  assert.deepEqual(samples.numbers.subarray(0, count), expected.numbers.subarray(0, count))
  assert.deepEqual(samples.kinds.subarray(0, count), expected.kinds.subarray(0, count))
  assert.deepEqual(samples.texts, expected.texts)
  assert.equal(samples.isTimed, expected.isTimed)
  assert.equal(samples.isNumeric, expected.isNumeric)
  const unknown = expected.open
    .map((target) => ({ ...target, samples: target.samples.filter((at) => handles[at] === 0) }))
    .filter((target) => target.samples.length > 0)
  assert.deepEqual(samples.open, unknown)
  return step
}

test('TemplateReader reads what the reference reader reads, whatever came before', () => {
  const runs = roundsOf(1_500)
  let doneCount = 0
  fc.assert(
    fc.property(
      fc.array(bodies, { minLength: 1, maxLength: 8 }),
      fc.constantFrom(undefined, 220, 300),
      (sequence, fieldsMax) => {
        const catalog = new Catalog(fieldsMax)
        for (const body of sequence) {
          if (body.isNewGeneration) catalog.generation += 1
          for (const [round, org] of body.orgs.entries()) {
            if (check(catalog, { ...body, org }, write(body, round)) === 'done') doneCount += 1
          }
          const text = write(body, 0)
          const { cut } = body
          const org = body.orgs[0]
          if (cut !== null && cut < text.length)
            check(catalog, { ...body, org }, text.slice(0, cut))
        }
      },
    ),
    { numRuns: runs },
  )
  // Bodies that the byte parser leaves to the reference reader would prove nothing.
  assert.ok(doneCount > 3 * runs, String(doneCount))
})

/** Where the IDs of the sample at `at` of an ASCII text lie. */
function idsAt(text: string, at: number) {
  const valueAt = (key: string) =>
    text.indexOf('"', text.indexOf(`"${key}"`, at) + key.length + 2) + 1
  const compFrom = valueAt('compId')
  const streamFrom = valueAt('streamId')
  const compUntil = text.indexOf('"', compFrom)
  return { compFrom, compUntil, streamFrom, streamUntil: text.indexOf('"', streamFrom) }
}

/** Reads a body by templates, teaching what is not taken; returns the number of samples that had to be taught. */
function countTaught(cache: StreamCache, text: string, samples: readonly string[]): number {
  const bytes = Buffer.from(text)
  const columns = new IncomingSamples(samples.length)
  const reader = new TemplateReader(bytes, cache, columns)
  cache.begin('o')
  let taught = 0
  for (let behind = 0; columns.count < samples.length; ) {
    const at = text.indexOf('{', behind)
    const ids = idsAt(text, at)
    columns.addNumber(cache.find(bytes, ids), 0, 0)
    reader.learn(at, ids)
    taught += 1
    behind = reader.read(at + samples[columns.count - 1].length, bytes.length)
  }
  return taught
}

test('TemplateReader takes every known stream in the template of the last sample, and templates in their order', () => {
  const sent = (at: number) => ({ stream: (at * 13) % 5, time: 1e12 + at, data: at })
  for (const [one, other] of [
    [keyed(ORDERS[0], ':', ','), keyed(ORDERS[1], ':', ',')],
    [keyed(ORDERS[2], ': ', ', '), keyed(ORDERS[0], ' : ', ',\n  ')],
    [keyed(ORDERS[1], ':', ', '), keyed(['compId', 'streamId', 'data'], ':', ',')],
  ]) {
    const { cache } = new Catalog()
    const alike = Array.from({ length: 9 }, (_, at) => one(sent(at)))
    assert.equal(countTaught(cache, `[${alike.join(', ')}]`, alike), 1)
    const mixed = Array.from({ length: 9 }, (_, at) => (at % 6 < 3 ? one : other)(sent(at)))
    // The template changes at 3 and at 6; from then on both templates of every stream are known.
    const counts = [1, 2, 3].map(() => countTaught(cache, `[${mixed.join(',')}]`, mixed))
    assert.deepEqual([counts[0], counts[2]], [3, 1])
  }
})

test('TemplateReader takes nothing for data that lies behind the end of a body', () => {
  const sample = keyed(ORDERS[0], ':', ',')
  const other = keyed(ORDERS[1], ': ', ', ')
  const list = [0, 1, 2, 0, 1, 2].map((stream, at) => ({
    stream,
    time: 1_763_000_000_000 + at,
    data: 21.5,
  }))
  for (const text of [`[${list.map(sample)}]`, `[${list.map(other)}]`]) {
    const bytes = Buffer.from(text)
    const catalog = new Catalog()
    const read = (part: Buffer) => {
      const parser = catalog.parserOf(part)
      return [parser.step(1_000_000), parser.samples.count]
    }
    for (let round = 0; round < 2; round++) assert.deepEqual(read(bytes), ['done', list.length])
    for (let cut = 0; cut < bytes.length; cut++) {
      assert.equal(read(bytes.subarray(0, cut))[0], 'unusual', String(cut))
    }
  }
})

test('SampleArrayParser gives way in white space between samples, however long', () => {
  const space = ' \n\t\r'.repeat(5_000)
  const one = '{"compId":"a","streamId":"ab","time":1763000000000,"data":1}'
  const text = `${space}[${space}${one}${space},${space}${one}${space}]${space}`
  const parser = new Catalog().parserOf(Buffer.from(text))
  let steps = 1
  while (parser.step(1_000) === 'more') steps += 1
  assert.equal(parser.samples.count, 2)
  assert.equal(parser.step(1_000), 'done')
  assert.ok(steps >= 120, String(steps))
})

test('SampleArrayParser leaves to the reference reader what could hold the loop up', () => {
  const check = (body: string) => {
    const parser = new Catalog().parserOf(Buffer.from(body))
    assert.equal(parser.step(1_000_000), 'unusual')
  }
  const one = '"compId":"a","streamId":"ab","time":1763000000000'
  check(`[{${one},${' '.repeat(100_000)}"data":1}]`)
  check(`[{${one},"data":0.${'1'.repeat(100_000)}}]`)
  check(`[{${one},"data":1e${'0'.repeat(100_000)}}]`)
  check(`[{${`${one},`.repeat(5_000)}"data":1}]`)
  check(`[{${`${one}, `.repeat(5_000)}"data":1}]`)
})

test('TemplateReader does not take for a known template what only looks like one', () => {
  const good = '{"compId":"a","streamId":"ab","time":1763000000000,"data":21.5}'
  const dataFirst = '{"compId":"a","streamId":"ab","data":21.5,"time":1763000000000}'
  const untimed = '{"compId":"a","streamId":"ab","data":21.5}'
  const body = { org: 'o', slice: 1_000_000, isNewAmidst: false }
  const changes: readonly (readonly [string, string])[] = [
    ['1763000000000', '0763000000000'],
    ['1763000000000', '17630000000000'],
    ['1763000000000', '176300000000'],
    ['1763000000000', '1763000000000.5'],
    ['1763000000000', '17630000000:0'],
    ['1763000000000', '/763000000000'],
    ['1763000000000', ':763000000000'],
    ['1763000000000', '9999999999999'],
    ['1763000000000', '1763000000000 '],
    ['1763000000000', ' 1763000000000'],
    ['1763000000000', '1763000000000e0'],
    ['1763000000000', '1763000000000,"time":5'],
    ['21.5', ''],
    ['21.5', '-'],
    ['21.5', '-0'],
    ['21.5', '21.'],
    ['21.5', '021.5'],
    ['21.5', '21.5.1'],
    ['21.5', '21.5e1'],
    ['21.5', '1e999'],
    ['21.5', '"x"'],
    ['21.5', '21.5,"compId":"abc"'],
    ['21.5', '21.5,"streamId":"abc"'],
    ['21.5', '21.5,"other":1'],
    ['21.5', '21.5\n'],
    ['21.5}', '21.5'],
    ['21.5}', '21.5]'],
    ['"a"', '"a","compId":"abc"'],
    ['"a"', '"b\\u0061"'],
    ['"a"', '"\u0001"'],
    ['"ab"', '"abc"'],
    ['"ab"', '""'],
    ['"ab"', '" "'],
    ['"data"', '"dada"'],
    ['"time"', '"tame"'],
    [',"data"', ';"data"'],
    [',"time"', ';"time"'],
    ['{', '{ '],
    ['{', ''],
  ]
  const all = [good, dataFirst, untimed]
  for (const one of all) {
    for (const other of all) {
      const catalog = new Catalog()
      const texts = [
        [one, one],
        [one, other],
        [one, one],
        [other, other],
        [one, other],
        [one, one],
      ]
      for (const text of texts) assert.equal(check(catalog, body, `[${text}]`), 'done')
    }
  }
  for (const known of all) {
    for (const [from, to] of changes) {
      const catalog = new Catalog()
      const other = known.replace(from, to)
      for (const text of [
        [known, known],
        [known, known],
        [known, other],
        [known, other, known],
      ]) {
        const step = check(catalog, body, `[${text}]`)
        if (text[1] === known) assert.equal(step, 'done')
      }
    }
  }
})

test('TemplateReader keeps time and data apart when templates change within a body', () => {
  const catalog = new Catalog()
  const body = { org: 'o', slice: 1_000_000, isNewAmidst: false }
  const write = (order: number, stream: number) =>
    keyed(ORDERS[order], ':', ',')({ stream, time: 1_763_000_000_001, data: 1_763_000_000_000 })
  const [timeFirst, dataFirst] = [0, 1].map((order) => [0, 1, 2].map((one) => write(order, one)))
  const known = [timeFirst[0], dataFirst[1]]
  for (const list of [known, known, [...known, dataFirst[2]], [...known, dataFirst[2]]]) {
    assert.equal(check(catalog, body, `[${list}]`), 'done')
  }
})

test('SampleTemplates keeps to its size, and to a few templates of a stream', () => {
  const templates = new SampleTemplates(4_000)
  const learn = (first: number, fill: number) => {
    const view = new DataView(new Uint8Array(50).fill(fill).buffer)
    const spans = { ...noTemplate(view), openingUntil: 40, middleFrom: 40, middleUntil: 50 }
    return templates.learn(first, 5 as StreamHandle, spans)
  }
  let first = 0
  const firsts = [1, 2, 2, 3, 1, 4, 5, 6].map((fill) => {
    first = learn(first, fill)
    return first
  })
  assert.equal(new Set(firsts).size, 4)
  while (templates.hasRoom()) learn(0, 7)
  assert.equal(templates.fields.length, 4_096)
  templates.clear()
  assert.equal(templates.last, 0)
  assert.ok(templates.hasRoom())
})
