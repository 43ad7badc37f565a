import { longValueAt, longValues } from './long-values.ts'
import {
  LONG_VALUE_MARK,
  PutTemplate,
  type StreamName,
  Walk,
  type WireForm,
} from './put-template.ts'

/** The next request of a connection; its bytes are not touched until the answer is there. */
export type NextPut = (connection: number) => Buffer

/** One way in which clients put samples: how many of which streams a call, and how they are written. */
export interface PutLayout {
  /** As `--layouts` names it. */
  readonly name: string
  /** As the table names it. */
  readonly work: string
  readonly aim: string
  readonly samplesPerCall: number
  readonly connections: number
  /** All streams that it puts to; they are made before anything is measured. None if each call puts to all. */
  readonly streams: readonly StreamName[]
  /** How it writes a stream of line protocol instead of the form's own way. */
  readonly sample?: WireForm['sample']
  /** A generator of its puts that goes on where it ended. */
  puts(form: WireForm): NextPut
}

const STREAMS_PER_COMPONENT = 10
const BULK_SAMPLES = 1_000
const BULK_CONNECTIONS = 4
const SMALL_CONNECTIONS = 16
const STEP_MS = 10_000
const FIELDS_PER_LINE = 10
/** Orders of the streams for each connection: far more than any service could foresee. */
const ORDERS = 16
const START = Date.now() - 30 * 86_400_000
const AIM = '≥ 1.2x VictoriaMetrics'

function streamsOf(count: number): readonly StreamName[] {
  return Array.from({ length: count }, (_, index) => ({
    compId: `gateway${Math.floor(index / STREAMS_PER_COMPONENT)}`,
    streamId: `sensor${index % STREAMS_PER_COMPONENT}`,
  }))
}

const hundred = streamsOf(100)
const thousand = streamsOf(1_000)
const many = streamsOf(100_000)

const bulk = { aim: AIM, samplesPerCall: BULK_SAMPLES, connections: BULK_CONNECTIONS }

/** Every layout, the kindest first. */
export const putLayouts: readonly PutLayout[] = [
  {
    ...bulk,
    name: 'bulk',
    work: 'bulk put, ten samples each of 100 streams a call, 4 connections',
    aim: '≥ 3.3x InfluxDB, ≥ 1.2x VictoriaMetrics',
    streams: hundred,
    puts: bulkPuts,
  },
  {
    ...bulk,
    name: 'compact',
    work: 'bulk put, one sample each of 1,000 streams a call, 4 connections',
    streams: thousand,
    puts: (form) => putsOfParts(form, [thousand]),
  },
  {
    ...bulk,
    name: 'python',
    work: 'the same, JSON with ", " and ": "',
    streams: thousand,
    puts: (form) => putsOfParts(spelled(form, form.spaced), [thousand]),
  },
  {
    ...bulk,
    name: 'indented',
    work: 'the same, JSON with indentation',
    streams: thousand,
    puts: (form) => putsOfParts(spelled(form, form.indented), [thousand]),
  },
  {
    ...bulk,
    name: 'shuffled',
    work: 'the same, streams in another order each time',
    streams: thousand,
    puts: (form) => putsOfParts(form, shufflesOf(thousand)),
  },
  {
    ...bulk,
    name: 'digits',
    work: 'the same, doubles of 17 digits',
    streams: thousand,
    puts: digitPuts,
  },
  {
    ...bulk,
    name: 'fleet',
    work: 'bulk put, 100,000 streams in turn, 1,000 a call, 4 connections',
    streams: many,
    puts: (form) => putsOfParts(form, partsOf(many, BULK_SAMPLES)),
  },
  {
    name: 'device',
    work: 'ten samples of one device a put, 100 devices, 16 connections',
    aim: AIM,
    samplesPerCall: 10,
    connections: SMALL_CONNECTIONS,
    streams: thousand,
    puts: (form) => putsOfParts(form, partsOf(thousand, 10), SMALL_CONNECTIONS),
  },
  {
    name: 'single',
    work: 'one sample a put, 16 connections',
    aim: '≥ 1.8x InfluxDB, ≥ 1x VictoriaMetrics',
    samplesPerCall: 1,
    connections: SMALL_CONNECTIONS,
    streams: hundred.slice(0, SMALL_CONNECTIONS),
    puts: singlePuts,
  },
]

/** What Telegraf sends: ten fields of a hundred processors a call, each line with six tags. */
export const telegrafLayout: PutLayout = {
  ...bulk,
  name: 'telegraf',
  work: 'bulk put, lines of ten fields and six tags, 100 lines a call, 4 connections',
  streams: hundred,
  sample: ({ compId, streamId }, time, value) => {
    const tags = `cpu=${streamId},datacenter=eu-central-1,host=${compId},os=linux,rack=r12,team=ops`
    const fields = Array.from({ length: FIELDS_PER_LINE }, (_, at) => `usage_${at}0=${value}`)
    return `cpu,${tags} ${fields.join(',')} ${time}`
  },
  puts: telegrafPuts,
}

function spelled(form: WireForm, body: WireForm['spaced']): WireForm {
  return body === undefined ? form : { ...form, ...body }
}

/** Ten samples of each of a hundred streams a call; every call is ten steps later. */
export function bulkPuts(form: WireForm): NextPut {
  const perStream = BULK_SAMPLES / hundred.length
  const slots = Array.from({ length: BULK_SAMPLES }, (_, index) => hundred[index % hundred.length])
  const templates = Array.from({ length: BULK_CONNECTIONS }, () => new PutTemplate(form, slots))
  const walks = hundred.map((_, index) => new Walk(index + 1))
  let round = 0
  return (connection) => {
    const first = START + round++ * perStream * STEP_MS
    return templates[connection].fill(
      (sample) => first + Math.floor(sample / hundred.length) * STEP_MS,
      (sample) => walks[sample % hundred.length].next(),
    )
  }
}

/** One sample of each stream of a part a call, the parts of a connection in turn. */
function putsOfParts(
  form: WireForm,
  parts: readonly (readonly StreamName[])[],
  connections = BULK_CONNECTIONS,
): NextPut {
  const own = Array.from({ length: connections }, (_, connection) =>
    (parts.length < connections
      ? parts
      : parts.filter((_, at) => at % connections === connection)
    ).map((part) => ({
      template: new PutTemplate(form, part),
      delays: delaysOf(part),
      walkOf: Uint32Array.from(part, numberOf),
    })),
  )
  const walks = Array.from({ length: parts[0].length }, (_, index) => new Walk(index + 1))
  const rounds = new Uint32Array(connections)
  let round = 0
  return (connection) => {
    const part = rounds[connection]++
    const time = START + round++ * 1_000
    const { template, delays, walkOf } = own[connection][part % own[connection].length]
    return template.fill(
      (sample) => time + delays[sample],
      (sample) => walks[walkOf[sample] % walks.length].next(),
    )
  }
}

/** The place of a stream in streamsOf(). */
function numberOf({ compId, streamId }: StreamName): number {
  return STREAMS_PER_COMPONENT * digitsOf(compId) + digitsOf(streamId)
}

function digitsOf(id: string): number {
  return Number(/\d+/.exec(id))
}

/** The streams of a device are read at one time, and devices within some milliseconds of each other. */
function delaysOf(part: readonly StreamName[]): Uint32Array {
  return Uint32Array.from(part, ({ compId }) => digitsOf(compId) % 100)
}

function telegrafPuts(form: WireForm): NextPut {
  const templates = Array.from({ length: BULK_CONNECTIONS }, () => new PutTemplate(form, hundred))
  const walks = Array.from(
    { length: hundred.length * FIELDS_PER_LINE },
    (_, at) => new Walk(at + 1),
  )
  let round = 0
  return (connection) => {
    const time = START + round++ * STEP_MS
    return templates[connection].fill(
      (line) => time + line,
      (value) => walks[value].next(),
    )
  }
}

function digitPuts(form: WireForm): NextPut {
  const templates = Array.from(
    { length: BULK_CONNECTIONS },
    () => new PutTemplate(form, thousand, LONG_VALUE_MARK),
  )
  const delays = delaysOf(thousand)
  let rounds = 0
  return (connection) => {
    const round = rounds++
    const time = START + round * 1_000
    return templates[connection].fillTexts(
      (sample) => time + delays[sample],
      longValues,
      (sample) => longValueAt(round + sample * 31),
    )
  }
}

function singlePuts(form: WireForm): NextPut {
  const templates = hundred
    .slice(0, SMALL_CONNECTIONS)
    .map((stream, index) => [new PutTemplate(form, [stream]), new Walk(index + 1)] as const)
  let round = 0
  return (connection) => {
    const [template, walk] = templates[connection]
    const time = START + round++ * 100
    return template.fill(
      () => time,
      () => walk.next(),
    )
  }
}

/** All streams in parts of a length, each part with a request of its own. */
export function partsOf(
  streams: readonly StreamName[],
  length: number,
): readonly (readonly StreamName[])[] {
  const parts: (readonly StreamName[])[] = []
  for (let at = 0; at < streams.length; at += length) parts.push(streams.slice(at, at + length))
  return parts
}

/** Many orders of the same streams, the same ones in every run. */
function shufflesOf(streams: readonly StreamName[]): readonly (readonly StreamName[])[] {
  let state = 7
  const below = (count: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * count)
  }
  return Array.from({ length: ORDERS * BULK_CONNECTIONS }, () => {
    const order = [...streams]
    for (let at = order.length - 1; at > 0; at--) {
      const other = below(at + 1)
      const swapped = order[at]
      order[at] = order[other]
      order[other] = swapped
    }
    return order
  })
}
