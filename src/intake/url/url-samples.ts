import {
  characterCount,
  ID_LENGTH_MAX,
  isSampleTime,
  parseWhole,
  QUERY_ENTRIES_MAX,
  type QueryPairs,
  readId,
  readSingle,
  refuse,
  SAMPLES_PER_CALL_MAX,
} from '../../base/index.ts'
import { IncomingSamples, type OpenTarget, VALUE_EMPTY, VALUE_TEXT } from '../../feed/index.ts'
import { parseSampleTime } from '../../time/index.ts'
import { requireSampleCount } from '../sample-count.ts'
import { OPTION_NAMES } from './read-put-options.ts'

/** Names of the form itself, which are never stream IDs. */
const FORM_NAMES: ReadonlySet<string> = new Set([
  'compId',
  'time',
  'timeEl',
  'freq',
  'data',
  'rsid',
  'delim',
])

/** How the URL form is read. */
interface UrlSamplesOptions {
  /** When it was sent: what elapsed times and spacings are counted from. */
  readonly uploadTime: number
  /** Names with a meaning for the transport of the form; they are no stream IDs. */
  readonly carrierNames: ReadonlySet<string>
}

/** What the URL form of a put holds. */
interface UrlSamples {
  readonly samples: IncomingSamples
  readonly compId: string
  /** Streams whose last values the answer shall hold, each once. */
  readonly requestedStreamIds: readonly string[]
}

/** Gives the times of a list of values, earliest first; NaN where the server assigns the time. */
type Timing = (count: number, parameter: string) => readonly number[]

interface ValueList {
  readonly parameter: string
  readonly values: readonly string[]
  readonly target: OpenTarget
}

function refuseUrl(what: string): never {
  refuse('bad_input', { what })
}

function requireId(text: string, parameter: string): string {
  return readId(text, 'the call', parameter)
}

function readCompId(pairs: QueryPairs): string {
  const compId = readSingle(pairs, 'compId')
  if (compId !== undefined) return requireId(compId, 'compId')
  const near = pairs.find(([name]) => name.toLowerCase() === 'compid')
  const hint = near === undefined ? '' : `. "${near[0]}" was read as a stream ID. Write "compId"`
  refuseUrl(`Cannot accept the request: "compId" is missing${hint}`)
}

function requireCount(times: number, values: number, parameter: string): void {
  if (times === values) return
  refuseUrl(`"${parameter}" has ${values} values for ${times} times. Send one time per value`)
}

function timesFrom(list: readonly number[]): Timing {
  return (count, parameter) => {
    requireCount(list.length, count, parameter)
    return list
  }
}

function elapsedTimes(texts: readonly string[], uploadTime: number): readonly number[] {
  return texts.map((text, index) => {
    const elapsedMs = parseWhole(text)
    if (elapsedMs === undefined || elapsedMs < 0) {
      refuseUrl(
        `Value ${index} of "timeEl" must be an integer number of milliseconds, at least 0, got "${text}"`,
      )
    }
    return requireTime(uploadTime - elapsedMs, `Value ${index} of "timeEl"`)
  })
}

function requireTime(time: number, where: string): number {
  if (!isSampleTime(time)) refuseUrl(`${where} results in a time before 1900`)
  return time
}

function spacedTimes(text: string, uploadTime: number): Timing {
  const stepMs = parseWhole(text)
  if (stepMs === undefined || stepMs <= 0) {
    refuseUrl(`"freq" must be an integer number of milliseconds above 0, got "${text}"`)
  }
  return (count) =>
    Array.from({ length: count }, (_, index) =>
      requireTime(uploadTime - (count - 1 - index) * stepMs, '"freq"'),
    )
}

const assignedTimes: Timing = (count, parameter) => {
  if (count > 1) {
    refuseUrl(`"${parameter}" has ${count} values. Send their times as time, timeEl, or freq`)
  }
  return [Number.NaN]
}

/** Stops a call whose query repeats a parameter, or names streams, more often than one may. */
function requireEntryCount(parameter: string, count: number): void {
  if (count <= QUERY_ENTRIES_MAX) return
  refuseUrl(`The query string has more than ${QUERY_ENTRIES_MAX} ${parameter}. Split the request`)
}

function readTiming(pairs: QueryPairs, delim: string, uploadTime: number): Timing {
  const time = readSingle(pairs, 'time')
  const timeEl = readSingle(pairs, 'timeEl')
  const freq = readSingle(pairs, 'freq')
  if ([time, timeEl, freq].filter((given) => given !== undefined).length > 1) {
    refuseUrl('Only one of "time", "timeEl", and "freq" can be given')
  }
  if (freq !== undefined) return spacedTimes(freq, uploadTime)
  if (timeEl !== undefined) return timesFrom(elapsedTimes(timeEl.split(delim), uploadTime))
  if (time === undefined) return assignedTimes
  const texts = time.split(delim)
  return timesFrom(texts.map((text, index) => parseSampleTime(text, `Value ${index} of "time"`)))
}

function readLists(
  pairs: QueryPairs,
  { delim, compId, carrierNames }: UrlSamplesOptions & { delim: string; compId: string },
): ValueList[] {
  const lists: ValueList[] = []
  const named = new Set<string>()
  let position = 0
  for (const [name, text] of pairs) {
    if (name === 'data') {
      const target = { compId, position, samples: [] }
      lists.push({ parameter: 'data', values: text.split(delim), target })
      position += 1
      requireEntryCount('"data"', position)
      continue
    }
    if (FORM_NAMES.has(name) || OPTION_NAMES.has(name) || carrierNames.has(name)) continue
    if (name.trim() === '') refuseUrl('A parameter has no name. The name must be a stream ID')
    if (characterCount(name) > ID_LENGTH_MAX) {
      refuseUrl(`The stream ID "${name.slice(0, 20)}…" has more than ${ID_LENGTH_MAX} characters`)
    }
    if (named.has(name)) refuseUrl(`Stream "${name}" is given twice`)
    named.add(name)
    requireEntryCount('stream IDs', named.size)
    const target = { compId, streamId: name, samples: [] }
    lists.push({ parameter: name, values: text.split(delim), target })
  }
  return lists
}

function addList(samples: IncomingSamples, list: ValueList, times: readonly number[]): void {
  list.values.forEach((value, index) => {
    list.target.samples.push(samples.count)
    const kind = value === '' ? VALUE_EMPTY : VALUE_TEXT
    samples.add(0, times[index], { kind, number: 0, text: value === '' ? undefined : value })
  })
  samples.open.push(list.target)
}

/** Names shown in a warning; a call may have thousands. */
const SHOWN_NAMES = 3

/**
 * Warns of values in the query of a put with a body, where they are ignored: data, stream IDs, and
 * streams whose last values are requested.
 */
export function warnIgnoredValues(
  pairs: QueryPairs,
  carrierNames: ReadonlySet<string>,
): readonly string[] {
  const ignored = new Set<string>()
  for (const [name] of pairs) {
    const isValue = name === 'data' || name === 'rsid' || !FORM_NAMES.has(name)
    if (isValue && !OPTION_NAMES.has(name) && !carrierNames.has(name)) ignored.add(name)
  }
  if (ignored.size === 0) return []
  const shown = [...ignored].slice(0, SHOWN_NAMES).map((name) => JSON.stringify(name.slice(0, 60)))
  const others = ignored.size - shown.length
  const rest = others === 0 ? '' : ` and ${others} others`
  const [noun, verb] = ignored.size === 1 ? ['Parameter', 'is'] : ['Parameters', 'are']
  const names = `${shown.join('; ')}${rest}`
  return [`${noun} ${names} of the URL ${verb} ignored because the request has a body`]
}

/** Reads the form of a put that has everything in names and values, as in the query of a URL. */
export function readUrlSamples(pairs: QueryPairs, options: UrlSamplesOptions): UrlSamples {
  const compId = readCompId(pairs)
  const delim = readSingle(pairs, 'delim') ?? ','
  if (delim === '') refuseUrl('"delim" must not be empty')
  const timing = readTiming(pairs, delim, options.uploadTime)
  const lists = readLists(pairs, { ...options, delim, compId })
  if (lists.length === 0) {
    refuseUrl('The request has no value. Send "data" or a parameter named after a stream ID')
  }
  const requested = pairs.filter(([name]) => name === 'rsid')
  requireEntryCount('"rsid"', requested.length)
  const requestedStreamIds = requested.map(([, streamId]) => requireId(streamId, 'rsid'))
  requireSampleCount(lists.reduce((sum, { values }) => sum + values.length, 0))
  const samples = new IncomingSamples(Math.min(lists.length, SAMPLES_PER_CALL_MAX))
  samples.form = 'lists'
  for (const list of lists) addList(samples, list, timing(list.values.length, list.parameter))
  return { samples, compId, requestedStreamIds: [...new Set(requestedStreamIds)] }
}
