/** What a stream may be, and what of it may still change. */
import type { PutStream, StoredStream } from '../../store/index.ts'
import { checkBaseCycle } from '../../time/index.ts'
import { findLabelMistake } from '../address/label-bounds.ts'
import { type NameSource, showDerivation } from '../derived/show-derivation.ts'
import { packGrid, readGrid } from '../shape/interval-grid.ts'
import {
  checkId,
  checkText,
  DESCRIPTION_LENGTH_MAX,
  NAME_LENGTH_MAX,
  refuseField,
} from '../shape/record-checks.ts'
import {
  type Location,
  type PlacedStreamBody,
  type Reference,
  ROLLUP_METHODS,
  type RollupMethod,
  type StreamBody,
  type StreamInput,
  type StreamRecord,
  streamBodyOf,
  streamFieldsOf,
} from '../shape/stream-shape.ts'
import { type CycleBody, definitionOf } from './cycle-record.ts'

type FoundCycle = CycleBody & { readonly uid: string }

/** The records of the organization that a stream may refer to. */
export interface StreamReferences {
  hasUnit(uid: string): Promise<boolean>
  hasDeleteProfile(uid: string): Promise<boolean>
  findCycle(name: { uid?: string; id?: string }): Promise<FoundCycle | undefined>
}

/** The body after an input is applied, but for how it is derived, which settleDerivations reads; `field` begins the names in messages. */
export async function readStream(
  field: string,
  input: StreamInput,
  { before, references }: { before: StreamBody; references: StreamReferences },
): Promise<StreamBody> {
  const id = input.id ?? before.id
  const body: StreamBody = {
    id,
    name: input.name ?? (before.name || id),
    description: input.description ?? before.description,
    streamType: input.streamType ?? before.streamType,
    valueType: input.valueType ?? before.valueType,
    unit: pickReference(input.unit, before.unit),
    baseCycle: await readBaseCycle(field, input.baseCycle, { before, references }),
    rollupMethod: readRollupMethod(field, input.rollupMethod) ?? before.rollupMethod,
    ...readDerivationType(field, input, before),
    delete_profile: pickReference(input.delete_profile, before.delete_profile),
    location: input.location === undefined ? before.location : pickLocation(input.location),
    ...readLookback(input.lookbackMs, before),
    ...readLabels(field, input.labels, before),
  }
  checkId(`${field}.id`, body.id)
  checkText(`${field}.name`, body.name, NAME_LENGTH_MAX)
  checkText(`${field}.description`, body.description, DESCRIPTION_LENGTH_MAX)
  checkKind(field, body)
  await checkReferences(field, input, { before, references })
  return body
}

/** Null is the default again. */
function readLookback(
  given: StreamInput['lookbackMs'],
  before: StreamBody,
): Pick<StreamBody, 'lookbackMs'> {
  const lookbackMs = given === undefined ? before.lookbackMs : given
  return lookbackMs == null ? {} : { lookbackMs }
}

/** Labels whose texts are blank are not there. */
function readLabels(
  field: string,
  given: StreamInput['labels'],
  before: StreamBody,
): Pick<StreamBody, 'labels'> {
  if (given === undefined) return before.labels === undefined ? {} : { labels: before.labels }
  const labels = Object.fromEntries(Object.entries(given).filter(([, text]) => text !== ''))
  const mistake = findLabelMistake(labels)
  if (mistake !== undefined) refuseField(`${field}.labels`, `are invalid: ${mistake}`)
  return Object.keys(labels).length === 0 ? {} : { labels }
}

function readRollupMethod(field: string, given: string | undefined): RollupMethod | undefined {
  if (given === undefined) return undefined
  const known = ROLLUP_METHODS.find((method) => method === given.toLowerCase())
  if (known !== undefined) return known
  return refuseField(`${field}.rollupMethod`, `must be one of ${ROLLUP_METHODS.join(', ')}`)
}

/** Whether the stream is derived; the formula stays what it was until its sources are known. */
function readDerivationType(
  field: string,
  input: StreamInput,
  before: StreamBody,
): Pick<StreamBody, 'streamDerivationType' | 'derivation'> {
  const { derivation } = input
  const given = derivation == null ? before.streamDerivationType : 'FROM_EXPRESSION'
  const streamDerivationType = input.streamDerivationType ?? given
  if (streamDerivationType === 'NONE') {
    if (derivation == null) return { streamDerivationType, derivation: null }
    refuseField(
      `${field}.derivation`,
      'is only for streams with streamDerivationType FROM_EXPRESSION. Change that, or remove it',
    )
  }
  const wasDerived = before.streamDerivationType === 'FROM_EXPRESSION'
  if (derivation === null || (derivation === undefined && !wasDerived)) {
    refuseField(
      `${field}.derivation`,
      'is missing: write {"expression":"a + 1","variables":[{"name":"a","streamId":"…"}]}',
    )
  }
  return { streamDerivationType, derivation: before.derivation ?? null }
}

function checkKind(field: string, body: StreamBody): void {
  const isInterval = body.streamType === 'intvl_stream'
  if (isInterval && body.baseCycle === null) {
    refuseField(
      `${field}.baseCycle`,
      'is missing. An interval stream needs one, such as {"id":"hour"}',
    )
  }
  if (!isInterval && body.baseCycle !== null) {
    refuseField(`${field}.baseCycle`, 'is only for interval streams. Remove it')
  }
  if (body.streamDerivationType !== 'NONE' && body.streamType === 'point_stream') {
    refuseField(
      `${field}.streamType`,
      'must not be point_stream because a formula cannot set its sample',
    )
  }
  if (body.streamDerivationType !== 'NONE' && body.valueType === 'FILE') {
    refuseField(`${field}.valueType`, 'must not be FILE because a formula cannot create files')
  }
  if (body.streamType === 'point_stream' && body.valueType === 'FILE') {
    refuseField(`${field}.valueType`, 'must not be FILE because a point stream cannot store files')
  }
}

async function checkReferences(
  field: string,
  input: StreamInput,
  { before, references }: { before: StreamBody; references: StreamReferences },
): Promise<void> {
  // What was there before may be sent back, even if it has been deleted since.
  const unit = input.unit?.uid === before.unit?.uid ? undefined : input.unit
  const isSameProfile = input.delete_profile?.uid === before.delete_profile?.uid
  const profile = isSameProfile ? undefined : input.delete_profile
  if (unit?.uid && !(await references.hasUnit(unit.uid))) {
    refuseField(
      `${field}.unit.uid`,
      `"${unit.uid.slice(0, 60)}" is not a unit of this organization`,
    )
  }
  if (profile?.uid && !(await references.hasDeleteProfile(profile.uid))) {
    const shown = profile.uid.slice(0, 60)
    refuseField(
      `${field}.delete_profile.uid`,
      `"${shown}" is not a delete profile of this organization`,
    )
  }
}

async function readBaseCycle(
  field: string,
  given: StreamInput['baseCycle'],
  { before, references }: { before: StreamBody; references: StreamReferences },
): Promise<StreamBody['baseCycle']> {
  if (given === undefined) return before.baseCycle
  if (given === null) return null
  const input: { uid?: string; id?: string } = typeof given === 'string' ? { id: given } : given
  if (input.uid === '' && !input.id) return null
  // A record sent back unchanged is fine even when its cycle has been deleted since.
  if (input.uid !== undefined && input.uid === before.baseCycle?.uid) return before.baseCycle
  const cycle = await references.findCycle(input)
  if (cycle === undefined) {
    const shown = JSON.stringify({ uid: input.uid, id: input.id }).slice(0, 100)
    refuseField(`${field}.baseCycle`, `${shown} is not a cycle of this organization`)
  }
  if (cycle.sizeType === 'CUSTOM') {
    refuseField(`${field}.baseCycle`, 'must be regular. A CUSTOM cycle has gaps')
  }
  checkBaseCycle(definitionOf(cycle))
  return { uid: cycle.uid, id: cycle.id }
}

function pickReference(
  input: Reference | null | undefined,
  before: Reference | null,
): Reference | null {
  if (input === undefined) return before
  // Clients in the field write a blank UID where there is none.
  return input === null || input.uid === '' ? null : { uid: input.uid }
}

/** A location without what does not belong to one. */
export function pickLocation(input: Location | null): Location | null {
  if (input === null) return null
  const { latitude, longitude, altitude } = input
  return {
    ...(latitude === undefined ? {} : { latitude }),
    ...(longitude === undefined ? {} : { longitude }),
    ...(altitude === undefined ? {} : { altitude }),
  }
}

/** Refuses a change of what samples already depend on. */
export function checkStreamChange(field: string, before: StreamBody, after: StreamBody): void {
  const frozen = (name: 'streamType' | 'valueType', from: string, to: string) => {
    if (from === to || from === '') return
    refuseField(
      `${field}.${name}`,
      `cannot change from ${from} to ${to || 'none'}. Create a new stream`,
    )
  }
  frozen('streamType', before.streamType, after.streamType)
  frozen('valueType', before.valueType, after.valueType)
  if (before.baseCycle !== null && before.baseCycle.uid !== after.baseCycle?.uid) {
    refuseField(`${field}.baseCycle`, 'cannot change. Create a new stream')
  }
}

/** A stream in a component: interval streams freeze their base cycle and zone here. */
export function placeStream(
  body: StreamBody,
  place: { readonly order: number; readonly cycle?: CycleBody; readonly timeZone: string },
): PlacedStreamBody {
  const { order, cycle, timeZone } = place
  return {
    ...body,
    order,
    grid: cycle === undefined ? '' : packGrid(definitionOf(cycle), timeZone),
  }
}

/** The write that stores a stream. */
export function streamWrite(
  key: { readonly orgUid: string; readonly uid: string; readonly componentUid: string },
  body: PlacedStreamBody,
  expectedRevision: number,
): PutStream {
  return {
    op: 'put_stream',
    kind: 'stream',
    orgUid: key.orgUid,
    uid: key.uid,
    componentUid: key.componentUid,
    expectedRevision,
    ...streamFieldsOf(body),
  }
}

/** A stream as callers see it; what it is derived from is shown by what `names` says of a source. */
export function showStream(stream: StoredStream, names: NameSource): StreamRecord {
  const { uid, revision, componentUid } = stream
  const { order: _order, leftAlone: _left, ...rest } = streamBodyOf(stream)
  const { grid, derivation, ...body } = rest
  const timeZoneId = grid === '' ? '' : readGrid(grid).timeZone
  const derived =
    derivation === null ? {} : { derivation: showDerivation(derivation, { componentUid, names }) }
  return { uid, ...body, ...derived, timeZoneId, revision }
}
