import { newFamilyUid } from '../../base/index.ts'
import type { CatalogWrite } from '../../store/index.ts'
import { putComponentOrder } from '../record/component-rules.ts'
import { putStreamOrder } from '../record/stream-rules.ts'
import { streamUidsFor } from '../record/stream-uids.ts'
import type { UserReference } from '../shape/component-shape.ts'
import { ROOT_FOLDER } from '../shape/folder-path.ts'
import { checkId, checkText, NAME_LENGTH_MAX, refuseField } from '../shape/record-checks.ts'
import { streamKindOf } from '../shape/stream-kind.ts'
import { defaultStream } from '../shape/stream-shape.ts'
import { valueCodeOf } from '../shape/value-type.ts'
import type { PreparedStream, WantedComponent } from './creation-plan.ts'
import type { Preparation } from './prepare-component.ts'

/** More streams are prepared in steps. */
const STREAMS_MAX = 200
const KIND = streamKindOf(defaultStream.streamType)

/** What components of one call have in common. */
export interface Making {
  readonly orgUid: string
  readonly nowMs: number
  readonly timeZone: string
  readonly ownerUser: UserReference
}

/** Whether nothing but the organization's owner decides how a component is made: no template, folder or place. */
export function isPlain({ compUid, rules, streams }: WantedComponent): boolean {
  const { compTmplId, folder, dtId, dsId } = rules
  if (compUid !== undefined || compTmplId !== undefined || folder !== undefined) return false
  if (dtId !== undefined || dsId !== undefined || streams.length > STREAMS_MAX) return false
  if (streams.some(({ position }) => position !== undefined)) return false
  return (
    streams.length < 2 || new Set(streams.map(({ streamId }) => streamId)).size === streams.length
  )
}

/** As prepareComponent, for one that does not exist and is plain; a fleet that signs on has no others. */
export function preparePlain(
  { orgUid, nowMs, timeZone, ownerUser }: Making,
  wanted: WantedComponent,
): Preparation {
  const { compId = '', rules } = wanted
  if (compId === '') refuseField('compId', 'must not be blank')
  checkId('compId', compId)
  const name = rules.compName || compId
  checkText('compName', name, NAME_LENGTH_MAX)
  const uid = newFamilyUid()
  const body = {
    ...{ id: compId, name, description: '', folder: ROOT_FOLDER, timeZoneId: timeZone },
    ...{ creationDate: nowMs, ownerUser, location: null },
    lastOrdinal: 0,
  }
  const orders: CatalogWrite[] = [putComponentOrder({ orgUid, uid }, body, 0)]
  const targets: string[] = []
  const streams: PreparedStream[] = []
  const nextUid = streamUidsFor(uid, 0)
  for (const [order, wish] of wanted.streams.entries()) {
    const { streamId: id = '', valueType, isRequested: isMadeForAnswer } = wish
    if (id === '') refuseField('streamId', 'must not be blank')
    checkId('streamId', id)
    const streamUid = nextUid()
    const placed = { ...defaultStream, id, name: id, valueType, order, grid: '' }
    orders.push(putStreamOrder({ orgUid, uid: streamUid, componentUid: uid }, placed, 0))
    targets.push(streamUid)
    const valueCode = valueCodeOf(valueType)
    const facts = { kind: KIND, valueCode, isDerived: false, grid: '' }
    streams.push({ handle: 0, streamId: id, ...facts, isMadeForAnswer })
  }
  const prepared = { component: undefined, timeZone, streams }
  const addedCount = targets.length
  return { prepared, componentUid: uid, targets, orders, addedCount, isNew: true }
}
