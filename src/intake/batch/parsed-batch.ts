import { BATCH_ENTRIES_MAX, readId, refuse, refuseFieldAt, showValue } from '../../base/plain.ts'
import { IncomingSamples, type OpenTarget } from '../../feed/plain.ts'
import { addValue, isRecord, type JsonRecord, readTime } from '../json/parsed-fields.ts'
import { requireSampleCount } from '../sample-count.ts'

function readList(value: unknown, where: string, field: string): readonly unknown[] {
  if (Array.isArray(value)) return value
  refuseFieldAt(where, field, `must be a list, got ${showValue(value)}`)
}

function readOptionalText(value: unknown, where: string, field: string): string | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value === 'string') return value
  refuseFieldAt(where, field, `must be a string, got ${showValue(value)}`)
}

/** Stops a batch with more components, or more streams in all, than one may have. */
function requireEntryCount(count: number, where: string, field: string): void {
  if (count <= BATCH_ENTRIES_MAX) return
  refuseFieldAt(
    where,
    field,
    `exceeds the limit of ${BATCH_ENTRIES_MAX} entries per request (${count})`,
  )
}

/** The component's side of its targets: how it is addressed, and how it would be created. */
function readComponent(component: JsonRecord, where: string): Omit<OpenTarget, 'samples'> {
  const { componentId, componentUid, defaults } = component
  if (defaults !== undefined && !isRecord(defaults)) {
    refuseFieldAt(where, 'defaults', `must be an object, got ${showValue(defaults)}`)
  }
  const compTmplId = readOptionalText(component.compTmplId, where, 'compTmplId')
  const compName = readOptionalText(defaults?.name, where, 'defaults.name')
  if (componentUid === undefined) {
    return { compId: readId(componentId, where, 'componentId'), compTmplId, compName }
  }
  if (componentId !== undefined) {
    refuseFieldAt(where, 'componentUid', 'and "componentId" are both given. Use one of them')
  }
  return { compUid: readId(componentUid, where, 'componentUid'), compTmplId, compName }
}

function readStream(stream: JsonRecord, where: string): { streamId?: string; streamUid?: string } {
  const { streamId, streamUid } = stream
  if (streamUid === undefined) return { streamId: readId(streamId, where, 'streamId') }
  if (streamId !== undefined) {
    refuseFieldAt(where, 'streamUid', 'and "streamId" are both given. Use one of them')
  }
  return { streamUid: readId(streamUid, where, 'streamUid') }
}

/** Times of a list of values: their own, else the component's; none only for a single value. */
function readTimes(own: unknown, shared: unknown, where: string): readonly unknown[] | undefined {
  const given = own ?? shared
  if (given === undefined || given === null) return undefined
  return readList(given, where, 'time')
}

function addStream(
  samples: IncomingSamples,
  target: OpenTarget,
  values: { data: readonly unknown[]; times: readonly unknown[] | undefined; where: string },
): void {
  const { data, times, where } = values
  if (times !== undefined && times.length !== data.length) {
    refuseFieldAt(where, 'time', `has ${times.length} entries, but "data" has ${data.length}`)
  }
  if (times === undefined && data.length > 1) {
    refuseFieldAt(where, 'time', `is missing. It is required for ${data.length} values`)
  }
  requireSampleCount(samples.count + data.length)
  for (let index = 0; index < data.length; index++) {
    const at = `${where}, value ${index}`
    target.samples.push(samples.count)
    const time = times === undefined ? Number.NaN : readTime(times[index], at)
    addValue(samples, time, data[index], at)
  }
  samples.open.push(target)
}

/** Reads the batch form `{"feed":{"component":[…]}}` that JSON.parse has read. */
export function readParsedBatch(body: JsonRecord): IncomingSamples {
  if (!isRecord(body.feed)) {
    refuse('bad_input', {
      what: 'Cannot read the body: it must be a list of samples or an object with "feed"',
    })
  }
  const samples = new IncomingSamples()
  samples.form = 'lists'
  const components = readList(body.feed.component, 'the body', 'feed.component')
  requireEntryCount(components.length, 'the body', 'feed.component')
  let streamCount = 0
  components.forEach((component, componentIndex) => {
    const where = `component ${componentIndex}`
    if (!isRecord(component)) {
      refuseFieldAt('the body', `feed.component[${componentIndex}]`, 'must be an object')
    }
    const side = readComponent(component, where)
    const streams = readList(component.stream, where, 'stream')
    streamCount += streams.length
    requireEntryCount(streamCount, where, 'stream')
    // A UID has to exist, whatever is sent for it.
    if (streams.length === 0 && side.compUid !== undefined) {
      samples.open.push({ compUid: side.compUid, samples: [] })
    }
    streams.forEach((stream, streamIndex) => {
      const place = `${where}, stream ${streamIndex}`
      if (!isRecord(stream)) refuseFieldAt(where, `stream[${streamIndex}]`, 'must be an object')
      const target: OpenTarget = { ...side, ...readStream(stream, place), samples: [] }
      const data = readList(stream.data, place, 'data')
      const times = readTimes(stream.time, component.time, place)
      addStream(samples, target, { data, times, where: place })
    })
  })
  return samples
}
