import { ApiError } from '../api/api-error.ts'
import { call, isPathStep } from '../api/client.ts'
import type { Schema } from '../api/paths.ts'
import { useQuery } from '../api/use-query.ts'
import type { Plot } from '../chart/chart-series.ts'
import type { Extent } from './range-words.ts'

/** A stream with what a page needs to know of it. */
export interface FoundStream {
  readonly componentUid: string
  readonly streamUid: string
  readonly componentName: string
  /** Where the component lies; blank without the right to read records. */
  readonly folder: string
  readonly streamName: string
  readonly kind: Plot['kind']
  readonly unit: string
  readonly zone: string
  readonly extent: Extent
  /** Absent without the right to read records. */
  readonly record: Schema<'Stream'> | undefined
}

/** Whether a word of an address is a UID by its looks. */
export const isUid = (word: string): boolean => UID.test(word)

const UID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Where nothing has to be summed up: only the facts of a stream are wanted. */
const NOWHERE = { from: 0, until: 1, points: 1 }

/** The stream that an address names, by UIDs or by the IDs of component and stream. */
export function useStream(
  component: string,
  stream: string,
  options: { readonly isOff?: boolean } = {},
) {
  const find = (signal: AbortSignal) => findStream(component, stream, signal)
  return useQuery(['stream', component, stream], find, options)
}

/** Finds a stream and what it and its component are called. */
export async function findStream(
  component: string,
  stream: string,
  signal: AbortSignal,
): Promise<FoundStream> {
  const plot = await factsOf(component, stream, signal)
  const { component: whose, stream: own, firstTime, lastTime } = plot
  const records = await namesOf(whose.uid, own.uid, signal)
  return {
    componentUid: whose.uid,
    streamUid: own.uid,
    componentName: records.component?.name || whose.id || 'Unnamed',
    folder: records.component?.folder ?? '',
    streamName: records.stream?.name || own.id || 'Unnamed',
    kind: plot.kind,
    unit: plot.unit,
    zone: plot.timeZone,
    extent: firstTime === null || lastTime === null ? undefined : { firstTime, lastTime },
    record: records.stream,
  }
}

async function factsOf(component: string, stream: string, signal: AbortSignal): Promise<Plot> {
  if (!UID.test(component) || !UID.test(stream)) return await factsByIds(component, stream, signal)
  try {
    const path = { componentUid: component, uid: stream }
    const address = '/api/component/{componentUid}/stream/{uid}/plot'
    return (await call('get', address, { path, query: NOWHERE, signal })).plot
  } catch (error) {
    if (!isNotFound(error)) throw error
    // IDs may look like UIDs; where there are none such either, the UIDs were meant.
    return await factsByIds(component, stream, signal).catch((other: unknown) => {
      throw isNotFound(other) ? error : other
    })
  }
}

function isNotFound(error: unknown): boolean {
  return error instanceof ApiError && error.status === 404
}

async function factsByIds(component: string, stream: string, signal: AbortSignal): Promise<Plot> {
  if (isPathStep(component) || isPathStep(stream))
    return await factsByRecords(component, stream, signal)
  const path = { compId: component, streamId: stream }
  const address = '/api/comp/{compId}/stream/{streamId}/plot'
  const answer = await call('get', address, { path, query: NOWHERE, signal })
  if (!('plot' in answer)) throw new Error('the service returned a plot that was not requested')
  return answer.plot
}

/** Streams of a component that are looked through for an ID. */
const STREAMS_MAX = 1_000

/** By IDs that cannot stand in a path: their records have the UIDs. */
async function factsByRecords(id: string, streamId: string, signal: AbortSignal): Promise<Plot> {
  const [component] = (await call('get', '/api/component', { query: { id }, signal })).component
  const componentUid = component?.uid ?? ''
  const query = { limit: STREAMS_MAX }
  const list = '/api/component/{componentUid}/stream'
  const { stream } =
    component === undefined
      ? { stream: [] }
      : await call('get', list, { path: { componentUid }, query, signal })
  const uid = stream.find((one) => one.id === streamId)?.uid
  if (uid === undefined) {
    const message = `Stream “${streamId}” of component “${id}” does not exist, or you do not have access.`
    throw new ApiError({ status: 404, code: 'stream_not_found', message })
  }
  const address = '/api/component/{componentUid}/stream/{uid}/plot'
  return (await call('get', address, { path: { componentUid, uid }, query: NOWHERE, signal })).plot
}

async function namesOf(componentUid: string, streamUid: string, signal: AbortSignal) {
  const [component, stream] = await Promise.allSettled([
    call('get', '/api/component/{uid}', { path: { uid: componentUid }, signal }),
    call('get', '/api/component/{componentUid}/stream/{uid}', {
      path: { componentUid, uid: streamUid },
      signal,
    }),
  ])
  return {
    component: component.status === 'fulfilled' ? component.value.component : undefined,
    stream: stream.status === 'fulfilled' ? stream.value.stream : undefined,
  }
}
