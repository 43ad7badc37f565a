/** Works out what a wanted component needs, without writing anything. */
import {
  countedUidOf,
  invariant,
  newComponentUid,
  nextIteration,
  refuse,
} from '../../base/index.ts'
import type { StreamDefinition } from '../../store/index.ts'
import type { ComponentEntry } from '../index/stream-index.ts'
import { componentWrite } from '../record/component-rules.ts'
import { lastOrdinalOf, streamUidsFor } from '../record/stream-uids.ts'
import { ADDRESSES_MAX, componentBodyOf } from '../shape/component-shape.ts'
import { checkId, checkText, NAME_LENGTH_MAX, refuseField } from '../shape/record-checks.ts'
import { POINT } from '../shape/stream-kind.ts'
import { VALUE_CODE, VALUE_TYPES, type ValueType, valueCodeOf } from '../shape/value-type.ts'
import {
  type CreationAttempt,
  type NewKind,
  PLAIN,
  withSources,
  withValueCode,
} from './creation.ts'
import type { WantedComponent, WantedSeries, WantedStream } from './creation-plan.ts'
import { NewStreams } from './new-components.ts'
import { planSeriesStream } from './plan-series.ts'
import { madeAt, PlannedComponent, placeOfTarget } from './planned-component.ts'

/** Streams planned before others get a turn: about a millisecond. */
const STREAMS_PER_STEP = 2_000

/** Ends a plan that finds a component that is there, whose edits take turns. */
export class LocksNeeded extends Error {}

/**
 * Plans one wanted component as a part of a creation; refuses what cannot be made. A promise only where something has
 * to be read or there is much to do: most components of a call are like the one before.
 */
export function planComponent(
  creation: CreationAttempt,
  wanted: WantedComponent,
): PlannedComponent | Promise<PlannedComponent> {
  const { orgUid } = creation
  const { compUid } = wanted
  const { index } = creation.deps.base.documents
  const entry =
    compUid === undefined
      ? index.resolveComponent(orgUid, wanted.compId ?? '')
      : index.componentByUid(orgUid, compUid)
  if (entry !== undefined) {
    if (!creation.isLocked) throw new LocksNeeded()
    return planAdditions(creation, wanted, entry)
  }
  if (compUid !== undefined) refuse('component_not_found', { compId: compUid })
  return planNew(creation, wanted)
}

function planNew(
  creation: CreationAttempt,
  wanted: WantedComponent,
): PlannedComponent | Promise<PlannedComponent> {
  const { compId = '', rules } = wanted
  if (compId === '') refuseField('compId', 'must not be blank')
  checkId('compId', compId)
  if (rules.compName) checkText('compName', rules.compName, NAME_LENGTH_MAX)
  const kind = creation.kindOf(rules)
  if (kind instanceof Promise) return kind.then((read) => planOfKind(creation, wanted, read))
  return planOfKind(creation, wanted, kind)
}

function planOfKind(
  creation: CreationAttempt,
  wanted: WantedComponent,
  kind: NewKind,
): PlannedComponent | Promise<PlannedComponent> {
  const { compId: id = '', rules } = wanted
  const uid = newComponentUid()
  const made = creation.components.add(uid, id, rules.compName || id, kind.common)
  const write = creation.components.lastWrite
  if (wanted.addressedAs !== undefined) creation.components.addressLast(wanted.addressedAs)
  const { timeZone } = kind.common
  const planned = new PlannedComponent(creation, wanted, { uid, timeZone, made, write })
  addTemplateStreams(planned, kind)
  return planStreams(creation, planned) ?? planned
}

/** Adds the streams of the template; those that their formulas read are bound to them. */
function addTemplateStreams(planned: PlannedComponent, { streams }: NewKind): void {
  if (streams.length === 0) return
  for (const [position, { id, name, definition, labels }] of streams.entries()) {
    const place = planned.add(id, name, definition, position)
    if (labels !== undefined) planned.setLabels(place, labels)
  }
  if (streams.every(({ derivation }) => derivation === null)) return
  const uids = new Map(streams.map(({ id }, place) => [id, countedUidOf(planned.uid, place + 1)]))
  for (const [place, stream] of streams.entries()) {
    planned.redefine(place, withSources(stream, uids))
  }
}

async function planAdditions(
  creation: CreationAttempt,
  wanted: WantedComponent,
  entry: ComponentEntry,
): Promise<PlannedComponent> {
  const { uid, timeZone } = entry
  const start = { uid, timeZone, component: entry, made: new NewStreams() }
  const planned = new PlannedComponent(creation, wanted, start)
  await planStreams(creation, planned)
  const isAdopting = wanted.addressedAs !== undefined && planned.adopted.size > 0
  if (planned.addedCount > 0 || isAdopting) await writeAdditions(creation, planned, entry)
  return planned
}

/** Adds the writes of the streams that a component gets more. */
async function writeAdditions(
  { orgUid, deps, writes }: CreationAttempt,
  planned: PlannedComponent,
  entry: ComponentEntry,
): Promise<void> {
  const { documents } = deps.base
  const { uid, made } = planned
  const component = await documents.getComponent(orgUid, uid)
  if (component === undefined) return refuse('component_not_found', { compId: entry.compId })
  const body = componentBodyOf(component)
  const nextUid = streamUidsFor(uid, lastOrdinalOf(body, entry), documents.index)
  const firstOrder = documents.index.nextOrderOf(entry)
  // Written even if unchanged, so that a delete or edit at the same time is noticed.
  const addressedAs = [...new Set([...body.addressedAs, ...(planned.wanted.addressedAs ?? [])])]
  const kept = addressedAs.slice(0, ADDRESSES_MAX)
  const addressed = { ...body, addressedAs: kept }
  writes.push(componentWrite({ orgUid, uid }, addressed, component.revision))
  const addedUids: string[] = []
  for (let at = 0; at < made.count; at++) {
    if (at % STREAMS_PER_STEP === STREAMS_PER_STEP - 1) await nextIteration()
    const streamUid = nextUid()
    addedUids.push(streamUid)
    writes.push({
      op: 'put_stream',
      kind: 'stream',
      orgUid,
      uid: streamUid,
      componentUid: uid,
      expectedRevision: 0,
      id: made.ids[at],
      name: made.nameAt(at),
      order: firstOrder + at,
      labels: made.labels?.[at],
      series: made.series?.[at],
      ...made.definitionAt(at),
    })
  }
  planned.addedUids = addedUids
}

/**
 * Finds or plans the wanted streams. Those that are wanted by their place come first in the
 * definition order, wherever they stand in the call: when a device repeats it, each of its values
 * finds the same stream again.
 */
function planStreams(
  creation: CreationAttempt,
  planned: PlannedComponent,
): Promise<PlannedComponent> | undefined {
  const { streams, rules } = planned.wanted
  if (streams.some(({ series }) => series !== undefined)) return planSeries(creation, planned)
  if (rules.dtId !== undefined || streams.length > STREAMS_PER_STEP) {
    return planInSteps(creation, planned)
  }
  if (hasPositions(streams)) planPass(creation, planned, true)
  planPass(creation, planned, false)
  return undefined
}

/** Finds, adopts or plans the streams of series. No promise where each has an ID of its own, as in most new components. */
function planSeries(
  creation: CreationAttempt,
  planned: PlannedComponent,
): Promise<PlannedComponent> | undefined {
  const { streams, rules } = planned.wanted
  if (planned.component !== undefined || streams.length > STREAMS_PER_STEP) {
    return planSeriesFrom(creation, planned, 0)
  }
  const like = creation.definitionOf(rules, planned.timeZone)
  if (like instanceof Promise) return like.then(() => planSeriesFrom(creation, planned, 0))
  for (let at = 0; at < streams.length; at++) {
    const { streamId = '' } = streams[at]
    if (planned.find(streamId) !== undefined) return planSeriesFrom(creation, planned, at)
    addSeriesStream(creation, planned, { at, streamId, like })
  }
  return undefined
}

async function planSeriesFrom(
  creation: CreationAttempt,
  planned: PlannedComponent,
  from: number,
): Promise<PlannedComponent> {
  const { streams, rules } = planned.wanted
  for (let at = from; at < streams.length; at++) {
    if (at % STREAMS_PER_STEP === STREAMS_PER_STEP - 1) await nextIteration()
    const { streamId = '', valueType } = streams[at]
    const want = { ...seriesOf(streams[at]), valueType }
    const found = await planSeriesStream(creation, planned, streamId, want)
    if (typeof found === 'number') {
      planned.setTarget(at, found)
      continue
    }
    const like = await creation.definitionOf(rules, planned.timeZone)
    addSeriesStream(creation, planned, { at, streamId: found.freeId, like })
  }
  return planned
}

/** Plans a stream with the series that is wanted at a place. */
function addSeriesStream(
  creation: CreationAttempt,
  planned: PlannedComponent,
  { at, streamId, like }: { at: number; streamId: string; like: StreamDefinition },
): void {
  const wanted = planned.wanted.streams[at]
  const { series, labels } = seriesOf(wanted)
  const target = addStream(creation, planned, { streamId, valueType: wanted.valueType }, like)
  planned.setSeries(placeOfTarget(target), series)
  planned.setLabels(placeOfTarget(target), labels)
  planned.setTarget(at, target)
}

function seriesOf({ series }: WantedStream): WantedSeries {
  invariant(series !== undefined, 'a stream without a series is wanted beside series')
  return series
}

function planPass(
  creation: CreationAttempt,
  planned: PlannedComponent,
  isByPosition: boolean,
): void {
  const { streams } = planned.wanted
  for (let at = 0; at < streams.length; at++) {
    const wanted = streams[at]
    if ((wanted.position !== undefined) !== isByPosition) continue
    const known = findStream(creation, planned, wanted)
    planned.setTarget(at, known === 0 ? addStream(creation, planned, wanted, PLAIN) : known)
  }
}

async function planInSteps(
  creation: CreationAttempt,
  planned: PlannedComponent,
): Promise<PlannedComponent> {
  const { streams, rules } = planned.wanted
  let like: StreamDefinition | undefined
  for (const isByPosition of hasPositions(streams) ? [true, false] : [false]) {
    for (let at = 0; at < streams.length; at++) {
      if (at % STREAMS_PER_STEP === STREAMS_PER_STEP - 1) await nextIteration()
      const wanted = streams[at]
      if ((wanted.position !== undefined) !== isByPosition) continue
      const known = findStream(creation, planned, wanted)
      if (known === 0) like ??= await creation.definitionOf(rules, planned.timeZone)
      planned.setTarget(at, known || addStream(creation, planned, wanted, like ?? PLAIN))
    }
  }
  return planned
}

function hasPositions(streams: readonly WantedStream[]): boolean {
  return streams.some(({ position }) => position !== undefined)
}

/** The target of a wanted stream that is there or planned, else 0. */
function findStream(
  { deps }: CreationAttempt,
  planned: PlannedComponent,
  wanted: WantedStream,
): number {
  const { position, streamId = '', valueType } = wanted
  const { component } = planned
  if (position !== undefined && position < planned.stored.length) return planned.stored[position]
  if (position === undefined && component !== undefined) {
    const handle = deps.base.documents.index.resolveStream(component, streamId)
    if (handle !== 0) return handle
  }
  const place = position === undefined ? planned.find(streamId) : planned.findAt(position)
  if (place === undefined) return 0
  adoptType(planned, place, valueType)
  return madeAt(place)
}

/** Gives a planned stream whose definition has no type that of its first values. */
function adoptType(planned: PlannedComponent, place: number, valueType: ValueType): void {
  const definition = planned.definitionAt(place)
  if (definition.valueCode !== VALUE_CODE.NONE || valueType === '') return
  requireFileKind(planned.idAt(place), definition, valueType)
  planned.redefine(place, withValueCode(definition, valueCodeOf(valueType)))
}

/** Plans a stream like a definition; its target. */
function addStream(
  creation: CreationAttempt,
  planned: PlannedComponent,
  wanted: WantedStream,
  like: StreamDefinition,
): number {
  const { position } = wanted
  const id = wanted.streamId ?? freeStreamId(creation, planned, (position ?? 0) + 1)
  if (id === '') refuseField('streamId', 'must not be blank')
  checkId('streamId', id)
  const valueCode = like.valueCode || valueCodeOf(wanted.valueType)
  requireFileKind(id, like, VALUE_TYPES[valueCode])
  const place = planned.add(id, id, withValueCode(like, valueCode), position)
  if (wanted.isRequested === true) planned.noteForAnswer(place)
  return madeAt(place)
}

function requireFileKind(id: string, { streamKind }: StreamDefinition, valueType: ValueType): void {
  if (valueType !== 'FILE' || streamKind !== POINT) return
  refuseField(`stream "${id}"`, 'would be a point stream, which cannot store files')
}

/**
 * `stream` with the wanted number, or the next that no stream of the component has; the stream must
 * be added under it. Places are asked for in their order, so that no number is looked at twice.
 */
function freeStreamId(
  { deps }: CreationAttempt,
  planned: PlannedComponent,
  number: number,
): string {
  const { index } = deps.base.documents
  const { component, reserved, takenNumbers: taken } = planned
  const isInside = number >= taken.from && number <= taken.until
  if (!isInside) taken.from = number
  for (let next = isInside ? taken.until + 1 : number; ; next++) {
    const id = `stream${next}`
    const isStored = component !== undefined && index.resolveStream(component, id) !== 0
    if (isStored || planned.find(id) !== undefined || reserved.has(id)) continue
    taken.until = next
    return id
  }
}
