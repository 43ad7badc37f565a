/** Works out which documents a wanted component needs, without writing any. */
import { invariant, newFamilyUid, newOrderedUid, nextTurn, refuse } from '../../base/index.ts'
import type { CatalogDocument, CatalogWrite, StreamHandle } from '../../store/index.ts'
import { checkBaseCycle } from '../../time/index.ts'
import { bindSources } from '../derived/bind-sources.ts'
import {
  type CatalogBase,
  folderOrders,
  referencesOf,
  usesOfStream,
} from '../documents/catalog-base.ts'
import { useOrders } from '../documents/record-uses.ts'
import type { ComponentEntry } from '../index/stream-index.ts'
import { putComponentOrder } from '../record/component-rules.ts'
import { type CycleBody, definitionOf } from '../record/cycle-record.ts'
import type { SimpleRecords } from '../record/simple-records.ts'
import { putStreamOrder } from '../record/stream-rules.ts'
import { lastOrdinalOf, streamUidsFor } from '../record/stream-uids.ts'
import type { TemplateBody } from '../record/template.ts'
import { type ComponentBody, componentBodyOf } from '../shape/component-shape.ts'
import { ROOT_FOLDER, readFolder } from '../shape/folder-path.ts'
import { packGrid } from '../shape/interval-grid.ts'
import { checkId, checkText, NAME_LENGTH_MAX, refuseField } from '../shape/record-checks.ts'
import { streamKindOf } from '../shape/stream-kind.ts'
import { defaultStream, type PlacedStreamBody, type StreamBody } from '../shape/stream-shape.ts'
import { type ValueType, valueCodeOf } from '../shape/value-type.ts'
import type { PreparedComponent, PreparedStream, WantedComponent } from './creation-plan.ts'

export interface PrepareDeps {
  readonly base: CatalogBase
  readonly templates: SimpleRecords<TemplateBody>
  /** Streams that one call may create. */
  readonly createMax: number
}

/** A prepared component with the writes that make it so. */
export interface Preparation {
  readonly prepared: PreparedComponent
  readonly componentUid: string
  /** The streams asked for; a UID where the stream is to be made, else its handle. */
  readonly targets: readonly (StreamHandle | string)[]
  readonly orders: readonly CatalogWrite[]
  /** How many streams the orders make. */
  readonly addedCount: number
  readonly isNew: boolean
}

/** A component while its plan is worked out: what it has, and what it will have. */
interface Draft {
  readonly orgUid: string
  readonly uid: string
  readonly entry: ComponentEntry | undefined
  readonly timeZone: string
  /** The streams it has, in definition order; read once, a component may have very many. */
  readonly stored: readonly StreamHandle[]
  readonly firstOrder: number
  readonly nextUid: () => string
  /** IDs that streams of the plan bear or are wanted by: none is made up for another. */
  readonly reserved: ReadonlySet<string>
  readonly addedById: Map<string, string>
  /** The streams to be made, in definition order. */
  readonly addedByUid: Map<string, PlacedStreamBody>
  /** Those of them that a place in the definition order leads to; the template's come first. */
  readonly addedByPosition: Map<number, string>
  /** Those of them that an answer alone asks for. */
  readonly addedForAnswer: Set<string>
  /** Numbers that all are taken as `stream1` is: where the look for a free one led last. */
  readonly takenNumbers: { from: number; until: number }
}

/** Streams prepared before others get a turn: about a millisecond. */
const STREAMS_PER_STEP = 500

function draftOf(
  start: Pick<Draft, 'orgUid' | 'uid' | 'timeZone'> & {
    readonly wanted: WantedComponent
    readonly lastOrdinal: number
  },
  entry: ComponentEntry | undefined,
  { base }: PrepareDeps,
): Draft {
  const { orgUid, uid, timeZone, wanted } = start
  const firstOrder = entry === undefined ? 0 : base.documents.index.nextOrderOf(entry)
  const stored = entry?.streams ?? []
  const named = wanted.streams.filter(({ isRequested }) => isRequested !== true)
  const reserved = new Set(named.map(({ streamId = '' }) => streamId))
  const maps = { addedById: new Map(), addedByUid: new Map(), addedByPosition: new Map() }
  const none = { ...maps, addedForAnswer: new Set<string>() }
  const takenNumbers = { from: 0, until: 0 }
  const known = entry === undefined ? undefined : base.documents.index
  const nextUid = streamUidsFor(uid, start.lastOrdinal, known)
  const places = { stored, firstOrder, nextUid, reserved, takenNumbers }
  return { orgUid, uid, timeZone, entry, ...places, ...none }
}

function draftStored(
  deps: PrepareDeps,
  of: { entry: ComponentEntry; document: CatalogDocument; wanted: WantedComponent },
): Draft {
  const { entry, document, wanted } = of
  const { orgUid, uid, timeZone } = entry
  const lastOrdinal = lastOrdinalOf(componentBodyOf(document), entry)
  return draftOf({ orgUid, uid, timeZone, wanted, lastOrdinal }, entry, deps)
}

/** Prepares one wanted component; refuses what cannot be made. */
export async function prepareComponent(
  deps: PrepareDeps,
  orgUid: string,
  wanted: WantedComponent,
): Promise<Preparation> {
  const { index } = deps.base.documents
  const entry =
    wanted.compUid === undefined
      ? index.resolveComponent(orgUid, wanted.compId ?? '')
      : index.componentByUid(orgUid, wanted.compUid)
  if (entry === undefined && wanted.compUid !== undefined) {
    refuse('component_not_found', { compId: wanted.compUid })
  }
  const orders: CatalogWrite[] = []
  const document = entry && (await requireDocument(deps, entry))
  const draft =
    entry === undefined || document === undefined
      ? await draftComponent(deps, { orgUid, wanted, orders })
      : draftStored(deps, { entry, document, wanted })
  const targets = await planStreams(deps, draft, wanted)
  const addedCount = draft.addedByUid.size
  if (document !== undefined && addedCount > 0) orders.push(touch(document))
  let made = 0
  for (const [uid, body] of draft.addedByUid) {
    made += 1
    if (made % STREAMS_PER_STEP === 0) await nextTurn()
    orders.push(putStreamOrder({ orgUid, uid, componentUid: draft.uid }, body, 0))
    const uses = usesOfStream(deps.base, orgUid, { before: undefined, after: body })
    for (const order of useOrders(uses)) orders.push(order)
  }
  const streams = targets.map((target) => describe(deps, draft, target))
  const prepared = { component: entry, timeZone: draft.timeZone, streams }
  const isNew = entry === undefined
  return { prepared, componentUid: draft.uid, targets, orders, addedCount, isNew }
}

/**
 * Finds or plans the wanted streams. Those that are wanted by their place come first in the
 * definition order, wherever they stand in the call: when a device repeats it, each of its values
 * finds the same stream again.
 */
async function planStreams(
  deps: PrepareDeps,
  draft: Draft,
  wanted: WantedComponent,
): Promise<(StreamHandle | string)[]> {
  const definition = definitionReader(deps, draft.orgUid, wanted)
  const targets: (StreamHandle | string)[] = []
  let looked = 0
  for (const isByPosition of [true, false]) {
    for (const [at, stream] of wanted.streams.entries()) {
      if ((stream.position !== undefined) !== isByPosition) continue
      looked += 1
      if (looked % STREAMS_PER_STEP === 0) await nextTurn()
      const known = findStream(deps, draft, stream)
      if (typeof known === 'string') adoptType(draft, known, stream.valueType)
      targets[at] = known ?? (await addStream(deps, { draft, stream, definition }))
    }
  }
  return targets
}

/** Gives a planned stream whose definition has no type that of its first values. */
function adoptType(draft: Draft, uid: string, valueType: ValueType): void {
  const body = draft.addedByUid.get(uid)
  if (body === undefined || body.valueType !== '' || valueType === '') return
  requireFileKind(body, valueType)
  draft.addedByUid.set(uid, { ...body, valueType })
}

async function draftComponent(
  deps: PrepareDeps,
  { orgUid, wanted, orders }: { orgUid: string; wanted: WantedComponent; orders: CatalogWrite[] },
): Promise<Draft> {
  const { compId = '', rules } = wanted
  if (compId === '') refuseField('compId', 'must not be blank')
  checkId('compId', compId)
  const name = rules.compName || compId
  checkText('compName', name, NAME_LENGTH_MAX)
  const template = await findTemplate(deps, { orgUid, id: rules.compTmplId, field: 'compTmplId' })
  const folder = readFolder('folder', rules.folder ?? ROOT_FOLDER)
  const owner = await deps.base.people.ownerOf(orgUid)
  const timeZone = template?.timeZoneId || owner.timeZoneId
  const uid = newFamilyUid()
  const body: ComponentBody = {
    ...{ id: compId, name, description: template?.description ?? '', folder },
    ...{ timeZoneId: timeZone, creationDate: deps.base.clock.now() },
    ownerUser: { uid: owner.uid, name: owner.name },
    location: template?.location ?? null,
    ...(template === undefined ? {} : { template: template.id }),
    lastOrdinal: 0,
  }
  const folders = await folderOrders(deps.base, orgUid, {
    path: folder,
    makeUid: newOrderedUid,
  })
  orders.push(...folders, putComponentOrder({ orgUid, uid }, body, 0))
  const draft = draftOf({ orgUid, uid, timeZone, wanted, lastOrdinal: 0 }, undefined, deps)
  for (const [position, { uid: _, ...stream }] of (template?.stream ?? []).entries()) {
    if (position % STREAMS_PER_STEP === STREAMS_PER_STEP - 1) await nextTurn()
    draft.addedByPosition.set(position, await place(deps, draft, stream))
  }
  for (const [added, placed] of draft.addedByUid) {
    draft.addedByUid.set(added, { ...placed, derivation: bindSources(placed, draft.addedById) })
  }
  return draft
}

/** Finds a template of a call's parameter; refuses one that does not exist. */
async function findTemplate(
  { templates }: PrepareDeps,
  { orgUid, id, field }: { orgUid: string; id: string | undefined; field: string },
): Promise<TemplateBody | undefined> {
  if (id === undefined) return undefined
  const template = await templates.findById(orgUid, id)
  if (template === undefined) {
    refuse('template_not_found', { what: `Cannot find the template "${id}" that ${field} names` })
  }
  return template
}

/** Reads the definition of new streams when the first is needed: dtId and dsId, or the default. */
function definitionReader(
  deps: PrepareDeps,
  orgUid: string,
  { rules: { dtId, dsId } }: WantedComponent,
): () => Promise<StreamBody> {
  let read: Promise<StreamBody> | undefined
  const find = async (): Promise<StreamBody> => {
    const template = await findTemplate(deps, { orgUid, id: dtId, field: 'dtId' })
    if (template === undefined) return defaultStream
    const stream = template.stream.find(({ id }) => id !== '' && id === dsId)
    if (stream === undefined) {
      const what = `Cannot find the stream "${dsId}" that dsId names in template "${dtId}"`
      refuse('template_not_found', { what })
    }
    const { uid: _, ...body } = stream
    if (body.streamDerivationType !== 'NONE') {
      const what = `Stream "${dsId}" that dsId names is derived by an expression: only a whole template makes it`
      refuse('bad_input', { what })
    }
    return body
  }
  return () => (read ??= find())
}

function findStream(
  { base }: PrepareDeps,
  draft: Draft,
  wanted: WantedComponent['streams'][number],
): StreamHandle | string | undefined {
  const { index } = base.documents
  const { entry, stored } = draft
  if (wanted.position === undefined) {
    const handle = entry === undefined ? 0 : index.resolveStream(entry, wanted.streamId ?? '')
    if (handle !== 0) return handle
    return draft.addedById.get(wanted.streamId ?? '')
  }
  if (wanted.position < stored.length) return stored[wanted.position]
  return draft.addedByPosition.get(wanted.position)
}

async function addStream(
  deps: PrepareDeps,
  task: {
    draft: Draft
    stream: WantedComponent['streams'][number]
    definition: () => Promise<StreamBody>
  },
): Promise<string> {
  const { draft, stream } = task
  const id = stream.streamId ?? freeStreamId(deps, draft, (stream.position ?? 0) + 1)
  if (id === '') refuseField('streamId', 'must not be blank')
  checkId('streamId', id)
  const body = await task.definition()
  const valueType = body.valueType || stream.valueType
  requireFileKind({ ...body, id }, valueType)
  const uid = await place(deps, draft, { ...body, id, name: id, valueType })
  if (stream.position !== undefined) draft.addedByPosition.set(stream.position, uid)
  if (stream.isRequested === true) draft.addedForAnswer.add(uid)
  return uid
}

function requireFileKind({ id, streamType }: StreamBody, valueType: ValueType): void {
  if (valueType !== 'FILE' || streamType !== 'point_stream') return
  refuseField(`stream "${id}"`, 'would be a point stream, which holds no files')
}

/**
 * `stream` with the wanted number, or the next that no stream of the component has; the stream must
 * be added under it. Places are asked for in their order, so that no number is looked at twice.
 */
function freeStreamId({ base }: PrepareDeps, draft: Draft, number: number): string {
  const { index } = base.documents
  const { takenNumbers: taken } = draft
  const isInside = number >= taken.from && number <= taken.until
  if (!isInside) taken.from = number
  for (let next = isInside ? taken.until + 1 : number; ; next++) {
    const id = `stream${next}`
    const isStored = draft.entry !== undefined && index.resolveStream(draft.entry, id) !== 0
    if (isStored || draft.addedById.has(id) || draft.reserved.has(id)) continue
    taken.until = next
    return id
  }
}

async function place(deps: PrepareDeps, draft: Draft, defined: StreamBody): Promise<string> {
  const { base } = deps
  const body = await withoutLostReferences(base, draft.orgUid, defined)
  const cycle = await findBaseCycle(base, draft.orgUid, body)
  const grid = cycle === undefined ? '' : packGrid(definitionOf(cycle), draft.timeZone)
  const uid = draft.nextUid()
  const placed = { ...body, order: draft.firstOrder + draft.addedByUid.size, grid }
  draft.addedByUid.set(uid, placed)
  if (body.id !== '') draft.addedById.set(body.id, uid)
  return uid
}

/** A definition may be older than the rule that nothing in use is deleted: what is gone is left out. */
async function withoutLostReferences(
  base: CatalogBase,
  orgUid: string,
  body: StreamBody,
): Promise<StreamBody> {
  const { unit, delete_profile: profile } = body
  if (unit === null && profile === null) return body
  const references = referencesOf(base, orgUid)
  const hasUnit = unit !== null && (await references.hasUnit(unit.uid))
  const hasProfile = profile !== null && (await references.hasDeleteProfile(profile.uid))
  return { ...body, unit: hasUnit ? unit : null, delete_profile: hasProfile ? profile : null }
}

async function findBaseCycle(
  base: CatalogBase,
  orgUid: string,
  { baseCycle }: StreamBody,
): Promise<CycleBody | undefined> {
  if (baseCycle === null) return undefined
  const cycle = await base.cycles.find(orgUid, baseCycle.uid)
  if (cycle !== undefined) {
    checkBaseCycle(definitionOf(cycle))
    return cycle
  }
  const what = `Cannot find the cycle "${baseCycle.id}" that the template's stream is based on`
  return refuse('cycle_not_found', { what })
}

async function requireDocument(
  { base }: PrepareDeps,
  { orgUid, uid, compId }: ComponentEntry,
): Promise<CatalogDocument> {
  const document = await base.documents.get({ orgUid, kind: 'component', uid })
  return document ?? refuse('component_not_found', { compId })
}

/** Writes an unchanged component anew, so that a delete or edit at the same time is noticed. */
function touch(document: CatalogDocument): CatalogWrite {
  const { orgUid, uid, revision } = document
  return putComponentOrder({ orgUid, uid }, componentBodyOf(document), revision)
}

function describe(
  { base }: PrepareDeps,
  draft: Draft,
  target: StreamHandle | string,
): PreparedStream {
  if (typeof target !== 'string') {
    const { index } = base.documents
    return {
      handle: target,
      streamId: index.streamIdOf(target),
      kind: index.kindOf(target),
      valueCode: index.valueCodeOf(target),
      isDerived: index.isDerived(target),
      grid: index.gridOf(target),
    }
  }
  const added = draft.addedByUid.get(target)
  invariant(added !== undefined, `stream ${target} is not planned`)
  const { id, streamType, valueType, streamDerivationType, grid } = added
  return {
    handle: 0,
    streamId: id,
    kind: streamKindOf(streamType),
    valueCode: valueCodeOf(valueType),
    isDerived: streamDerivationType !== 'NONE',
    grid,
    isMadeForAnswer: draft.addedForAnswer.has(target),
  }
}
