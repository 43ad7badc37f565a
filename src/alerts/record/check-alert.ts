/** Checks of an alert that is saved or previewed: that all it names exists, fits, and may be read by the caller. */
import { allows, allowsEveryFeed, type Principal, requirePermit } from '../../access/index.ts'
import type { Catalog } from '../../catalog/index.ts'
import {
  expressionTypeOf,
  refuseField,
  VALUE_TYPES,
  type ValueType,
} from '../../catalog/shape/index.ts'
import { ExpressionError, type ExpressionType } from '../../expression/index.ts'
import { allowsStream } from '../../feed/index.ts'
import type { StreamHandle } from '../../store/index.ts'
import { type Condition, readCondition } from '../condition/read-condition.ts'
import type { AlertBody, WatchedStream } from './alert-shape.ts'

/** What the checks ask. */
interface AlertCheckDeps {
  readonly catalog: Catalog
  /** Whether an organization has a channel. */
  readonly hasChannel: (orgUid: string, uid: string) => Promise<boolean>
}

/** Longest part of a caller's text in a message. */
const SHOWN_LENGTH = 60

type NamedStream = Partial<
  Record<'componentUid' | 'componentId' | 'streamUid' | 'streamId', string | undefined>
>

/** The stream that a caller names, by UIDs or IDs. One that the caller may not read is answered as one that is not there. */
export function findWatched(
  { catalog: { index } }: AlertCheckDeps,
  principal: Principal,
  named: NamedStream,
  field: string,
): WatchedStream {
  const { orgUid } = principal
  const handle = handleOf(index, orgUid, named)
  if (handle === 0 || !allowsStream(index, principal, handle, 'GET')) {
    requirePermitForAny(principal)
    const { componentUid, componentId, streamUid, streamId } = named
    const shown = [componentId || componentUid || '', streamId || streamUid || '']
      .map((text) => JSON.stringify(text.slice(0, SHOWN_LENGTH)))
      .join(' / ')
    refuseField(field, `${shown} is not a stream of this organization`)
  }
  return { componentUid: index.componentOf(handle).uid, streamUid: index.streamUid(handle) }
}

/** Refuses a caller who may read no feed at all. */
function requirePermitForAny(principal: Principal): void {
  const { capabilities, scope } = principal
  if (capabilities.mayGiveFeed('GET') && (scope?.mayGiveFeed('GET') ?? true)) return
  requirePermit(principal, 'component/*/feed', 'GET')
}

function handleOf(
  index: Catalog['index'],
  orgUid: string,
  { componentUid = '', componentId = '', streamUid = '', streamId = '' }: NamedStream,
): StreamHandle | 0 {
  if (streamUid !== '') {
    const handle = index.streamByUid(orgUid, streamUid)
    if (handle === 0) return 0
    const component = index.componentOf(handle)
    const isOther =
      (componentUid !== '' && component.uid !== componentUid) ||
      (componentId !== '' && component.compId !== componentId)
    return isOther ? 0 : handle
  }
  const component =
    componentUid === ''
      ? index.resolveComponent(orgUid, componentId)
      : index.componentByUid(orgUid, componentUid)
  return component === undefined || streamId === '' ? 0 : index.resolveStream(component, streamId)
}

/** Refuses an alert that names something that does not exist or fit, or that the caller may not read. */
export async function checkAlert(
  deps: AlertCheckDeps,
  principal: Principal,
  { body, before }: { readonly body: AlertBody; readonly before: AlertBody },
): Promise<void> {
  requireReadable(deps, principal, body, before)
  await requireChannels(deps, principal, { body, before })
  await requireCycle(deps, principal.orgUid, { body, before })
  const types = await typesOf(deps, principal.orgUid, body, before)
  for (const field of ['condition', 'clearCondition'] as const) {
    const text = body[field]
    if (text.trim() === '') continue
    if (types.has('UNKNOWN')) requireSomeType(`alert.${field}`, text)
    for (const type of types) {
      const condition = checkedCondition(`alert.${field}`, text, type)
      if (text === before[field]) continue
      await requireInputs(deps, principal.orgUid, { field: `alert.${field}`, condition })
    }
  }
}

/** Refuses unless the caller may read all that is watched. A template and labels may come to mean any stream. */
function requireReadable(
  { catalog: { index } }: AlertCheckDeps,
  principal: Principal,
  body: AlertBody,
  before: AlertBody,
): void {
  if (body.streams.length === 0) {
    if (allowsEveryFeed(principal, 'GET')) return
    requirePermit(principal, 'component/*/feed', 'GET')
    const what = 'needs GET on the feeds of all components. This credential leaves some out'
    refuseField(body.template === null ? 'alert.labels' : 'alert.template', what)
  }
  const known = new Set(before.streams.map(({ streamUid }) => streamUid))
  for (const [at, { streamUid }] of body.streams.entries()) {
    const handle = index.streamByUid(principal.orgUid, streamUid)
    // A stream that was deleted stays in the record until somebody takes it out: no save fails for it.
    if (handle === 0 && known.has(streamUid)) continue
    if (handle !== 0 && allowsStream(index, principal, handle, 'GET')) continue
    requirePermit(principal, 'component/*/feed', 'GET', `the feed of alert.streams[${at}]`)
    refuseField(`alert.streams[${at}]`, 'is not a stream of this organization')
  }
}

async function requireChannels(
  { hasChannel }: AlertCheckDeps,
  principal: Principal,
  { body, before }: { readonly body: AlertBody; readonly before: AlertBody },
): Promise<void> {
  const known = new Set(before.channels.map(({ uid }) => uid))
  for (const [at, { uid }] of body.channels.entries()) {
    if (known.has(uid)) continue
    const isSeen = allows(principal, `channel/${uid}`, 'GET')
    if (isSeen && (await hasChannel(principal.orgUid, uid))) continue
    const shown = JSON.stringify(uid.slice(0, SHOWN_LENGTH))
    refuseField(`alert.channels[${at}].uid`, `${shown} is not a channel of this organization`)
  }
}

async function requireCycle(
  { catalog }: AlertCheckDeps,
  orgUid: string,
  { body: { cycle }, before }: { readonly body: AlertBody; readonly before: AlertBody },
): Promise<void> {
  // As a deleted stream, a cycle that is gone or changed stays in the record: no other save fails for it.
  if (cycle === null || cycle.uid === before.cycle?.uid) return
  const definition = await catalog.findCycleByUid(orgUid, cycle.uid)
  if (definition === undefined) {
    const shown = JSON.stringify(cycle.uid.slice(0, SHOWN_LENGTH))
    refuseField('alert.cycle', `${shown} is not a cycle of this organization. Use its UID`)
  }
  if (definition.sizeType === 'CUSTOM') return
  const what = 'has no pauses, so the alert would always be active. Use a CUSTOM cycle, or null'
  refuseField('alert.cycle', what)
}

/** The types that watched values may have. Those of labels are known when streams have them. */
async function typesOf(
  { catalog }: AlertCheckDeps,
  orgUid: string,
  body: AlertBody,
  before: AlertBody,
): Promise<Set<ExpressionType>> {
  if (body.template !== null) {
    const isKept = body.template.uid === before.template?.uid && body.streamId === before.streamId
    return await templateTypes(catalog, orgUid, { ...body, isKept })
  }
  const { index } = catalog
  const hasCondition = body.condition.trim() !== ''
  const types = new Set<ExpressionType>()
  for (const [at, { streamUid }] of body.streams.entries()) {
    const handle = index.streamByUid(orgUid, streamUid)
    if (handle === 0) continue
    const valueType = VALUE_TYPES[index.valueCodeOf(handle)]
    if (hasCondition) refuseFile(`alert.streams[${at}]`, valueType)
    types.add(expressionTypeOf(valueType))
  }
  return types.size === 0 ? new Set(['UNKNOWN']) : types
}

async function templateTypes(
  catalog: Catalog,
  orgUid: string,
  { template, streamId, condition, isKept }: AlertBody & { readonly isKept: boolean },
): Promise<Set<ExpressionType>> {
  const found = await catalog.templates.find(orgUid, template?.uid ?? '')
  const stream = found?.stream.find(({ id }) => id === streamId)
  // As a deleted stream, a template that is gone or changed stays in the record: no other save fails for it.
  const isWhole = found !== undefined && found.id !== '' && stream !== undefined
  if (isKept && !isWhole) return new Set(['UNKNOWN'])
  if (found === undefined) {
    const shown = JSON.stringify(template?.uid.slice(0, SHOWN_LENGTH))
    refuseField('alert.template', `${shown} is not a template of this organization. Use its UID`)
  }
  if (found.id === '') {
    refuseField('alert.template', 'has no ID, so no component is made from it. Give it an ID')
  }
  if (stream === undefined) {
    const shown = JSON.stringify(streamId.slice(0, SHOWN_LENGTH))
    refuseField('alert.streamId', `${shown} is not a stream of the template`)
  }
  if (condition.trim() !== '') refuseFile('alert.streamId', stream.valueType)
  return new Set([expressionTypeOf(stream.valueType)])
}

function refuseFile(field: string, valueType: ValueType): void {
  if (valueType !== 'FILE') return
  refuseField(field, 'holds files, which a condition cannot read. Watch its silence only')
}

/** A condition that was read; refuses a mistake with its place. */
function checkedCondition(field: string, text: string, value: ExpressionType): Condition {
  try {
    return readCondition(text, { value, timeZoneId: 'UTC' })
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error
    const { line, column, message, pointer } = error
    const what = `has an error in line ${line}, column ${column}: ${message}\n${pointer}`
    return refuseField(field, what)
  }
}

/** Refuses a condition that no stream can have, whatever its type is. */
function requireSomeType(field: string, text: string): void {
  const fits = (value: ExpressionType) => {
    try {
      readCondition(text, { value, timeZoneId: 'UTC' })
      return true
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error
      return false
    }
  }
  const types: readonly ExpressionType[] = ['LONG', 'BOOLEAN', 'BIGDECIMAL', 'STRING', 'DOUBLE']
  if (!types.some(fits)) checkedCondition(field, text, 'DOUBLE')
}

async function requireInputs(
  { catalog }: AlertCheckDeps,
  orgUid: string,
  { field, condition }: { readonly field: string; readonly condition: Condition },
): Promise<void> {
  for (const input of condition.inputs) {
    if (input.kind !== 'stat') continue
    if ((await catalog.findCycle(orgUid, input.cycleId)) !== undefined) continue
    const shown = JSON.stringify(input.cycleId.slice(0, SHOWN_LENGTH))
    refuseField(field, `names ${shown}, which is not the ID of a cycle of this organization`)
  }
}
