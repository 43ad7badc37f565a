/** The stream of a new series in a component: one that is there and has none, or a free ID. */
import { type StreamHandle, seriesText } from '../../store/index.ts'
import { besideTaken } from '../address/address-rule.ts'
import { streamWrite } from '../record/stream-rules.ts'
import { streamBodyOf } from '../shape/stream-shape.ts'
import {
  holdsValuesOf,
  VALUE_CODE,
  VALUE_TYPES,
  type ValueType,
  valueCodeOf,
} from '../shape/value-type.ts'
import { type CreationAttempt, withValueCode } from './creation.ts'
import type { WantedSeries } from './creation-plan.ts'
import { madeAt, type PlannedComponent } from './planned-component.ts'

/** A series, and the type of its values. */
interface Wanted extends WantedSeries {
  readonly valueType: ValueType
}

/** Digits of the hash that are tried when an ID is taken; the last are all. */
const SUFFIX_DIGITS = [8, 16, 32, 64]

/** The target of a stream that the series gets, or a free ID under which one is to be made. */
export async function planSeriesStream(
  creation: CreationAttempt,
  planned: PlannedComponent,
  streamId: string,
  wanted: Wanted,
): Promise<number | { readonly freeId: string }> {
  const { index } = creation.deps.base.documents
  const text = seriesText(wanted.series)
  let freeId = streamId
  for (const digits of [0, ...SUFFIX_DIGITS]) {
    if (digits > 0) freeId = besideTaken(streamId, text, digits)
    const place = planned.find(freeId)
    if (place !== undefined) {
      if (adoptPlanned(planned, place, wanted)) return madeAt(place)
      continue
    }
    const { component } = planned
    const handle = component === undefined ? 0 : index.resolveStream(component, freeId)
    if (handle === 0) break
    if (await adoptStored(creation, planned, handle, wanted)) return handle
  }
  return { freeId }
}

/** Gives the series to a stream that a template brings, if it fits. */
function adoptPlanned(planned: PlannedComponent, place: number, wanted: Wanted): boolean {
  const definition = planned.definitionAt(place)
  const isTaken = planned.seriesAt(place) !== undefined || definition.isDerived
  if (isTaken || !holdsValuesOf(VALUE_TYPES[definition.valueCode], wanted.valueType)) return false
  planned.setSeries(place, wanted.series)
  if (planned.labelsAt(place) === undefined) planned.setLabels(place, wanted.labels)
  if (definition.valueCode === VALUE_CODE.NONE) {
    planned.redefine(place, withValueCode(definition, valueCodeOf(wanted.valueType)))
  }
  return true
}

/** Gives the series to a stream that is there, if it fits. */
async function adoptStored(
  { orgUid, deps, writes }: CreationAttempt,
  planned: PlannedComponent,
  handle: StreamHandle,
  { series, labels, valueType }: Wanted,
): Promise<boolean> {
  const { documents } = deps.base
  if (planned.adopted.has(handle) || documents.index.isDerived(handle)) return false
  const uid = documents.index.streamUid(handle)
  const stream = await documents.getStream(orgUid, uid)
  if (stream === undefined || stream.series !== undefined) return false
  const body = streamBodyOf(stream)
  if (!holdsValuesOf(body.valueType, valueType)) return false
  const adopted = {
    ...body,
    valueType: body.valueType === '' ? valueType : body.valueType,
    series,
    labels: body.labels ?? labels,
  }
  writes.push(streamWrite({ orgUid, uid, componentUid: planned.uid }, adopted, stream.revision))
  planned.adopted.add(handle)
  return true
}
