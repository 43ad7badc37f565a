import { type Principal, requirePermit } from '../../access/index.ts'
import { newOrderedUid } from '../../base/index.ts'
import { settleDerivations } from '../derived/settle-derivations.ts'
import { SourceFinder } from '../derived/source-finder.ts'
import { type CatalogBase, referencesOf } from '../documents/catalog-base.ts'
import { componentBodyOf } from '../shape/component-shape.ts'
import type { ShownDerivation } from '../shape/derivation-shape.ts'
import { refuseField, shapeCheck } from '../shape/record-checks.ts'
import { type StreamKind, streamKindOf } from '../shape/stream-kind.ts'
import { defaultStream, type StreamInput, streamShape } from '../shape/stream-shape.ts'
import type { ValueType } from '../shape/value-type.ts'
import { refuseUnknown } from './simple-records.ts'
import { placeStream, readStream } from './stream-rules.ts'

const checkShape = shapeCheck('stream', streamShape)

/** A derived stream as it would be saved. */
export interface DraftedStream {
  readonly uid: string
  readonly kind: StreamKind
  /** The frozen base cycle of an interval stream, else ''. */
  readonly grid: string
  /** What its record says, else what its formula gives; '' where the first result determines it. */
  readonly valueType: ValueType
  /** The zone of its component. */
  readonly timeZone: string
  readonly derivation: ShownDerivation
}

/**
 * Reads a derived stream of a component as a save would, and refuses what that would: a caller learns of
 * sources that it may read only. Nothing is saved, and nothing need have been.
 */
export async function draftStream(
  base: CatalogBase,
  principal: Principal,
  componentUid: string,
  input: unknown,
): Promise<DraftedStream> {
  requirePermit(principal, `component/${componentUid}/stream`, 'GET')
  checkShape(input)
  const fields = input as StreamInput
  const { orgUid } = principal
  const { documents } = base
  const stored = await documents.getComponent(orgUid, componentUid)
  if (stored === undefined) refuseUnknown('component', componentUid)
  const component = componentBodyOf(stored)
  const references = referencesOf(base, orgUid)
  const body = await readStream('stream', fields, { before: defaultStream, references })
  if (body.streamDerivationType === 'NONE') refuseField('stream.derivation', 'is missing')
  const cycle = body.baseCycle === null ? undefined : await references.findCycle(body.baseCycle)
  const timeZone = component.timeZoneId
  const placed = placeStream(body, { order: 0, cycle, timeZone })
  // Under its own UID, so that a stream that would read itself is found out.
  const own = fields.uid ? await documents.getStream(orgUid, fields.uid) : undefined
  const uid = own?.componentUid === componentUid ? own.uid : newOrderedUid()
  const drafts = [
    { field: 'stream', uid, body: placed, input: fields.derivation, before: undefined },
  ]
  const scope = { orgUid, componentUid, componentId: component.id, drafts }
  const finder = new SourceFinder(documents, scope)
  const settled = await settleDerivations(
    { orgUid, principal, timeZone, finder, references },
    drafts,
  )
  const [{ streamType, grid, valueType, derivation }] = settled.bodies
  if (derivation === null) return refuseField('stream.derivation', 'is missing')
  const variables = derivation.variables.map((variable) => ({ ...variable, componentId: '' }))
  const kind = streamKindOf(streamType)
  return { uid, kind, grid, valueType, timeZone, derivation: { ...derivation, variables } }
}
