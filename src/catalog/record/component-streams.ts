import { allows, type Principal, requirePermit } from '../../access/index.ts'
import { isUid, newOrderedUid, nextIteration, Pacer, RecordBytes } from '../../base/index.ts'
import type {
  CatalogWrite,
  PutDocument,
  PutStream,
  StoredStream,
  StreamHandle,
} from '../../store/index.ts'
import { withLeftAlone } from '../derived/left-alone.ts'
import { type DerivedDraft, settleDerivations } from '../derived/settle-derivations.ts'
import { mayReadSources, sourceNames, withoutValues } from '../derived/show-derivation.ts'
import { SourceFinder } from '../derived/source-finder.ts'
import { type CatalogBase, referencesOf, usesOfStream } from '../documents/catalog-base.ts'
import {
  type Author,
  changedFields,
  planChange,
  planUpdate,
  quoted,
} from '../documents/record-change.ts'
import { useWrites } from '../documents/record-uses.ts'
import { retryConflicts } from '../documents/retry-conflicts.ts'
import { WORK_PER_SLICE, workOfStream } from '../documents/stream-work.ts'
import { type ComponentBody, componentBodyOf } from '../shape/component-shape.ts'
import { refuseField, shapeCheck } from '../shape/record-checks.ts'
import type { StreamType } from '../shape/stream-kind.ts'
import {
  defaultStream,
  type PlacedStreamBody,
  type StreamBody,
  type StreamInput,
  type StreamRecord,
  streamBodyOf,
  streamShape,
} from '../shape/stream-shape.ts'
import { componentWrite } from './component-rules.ts'
import {
  type Page,
  type RecordList,
  refuseStale,
  refuseTakenId,
  refuseUnknown,
} from './simple-records.ts'
import {
  checkStreamChange,
  placeStream,
  readStream,
  showStream,
  streamWrite,
} from './stream-rules.ts'
import { isReserved, lastOrdinalOf, streamUidsFor, withoutStream } from './stream-uids.ts'

const KIND = 'stream'
const checkShape = shapeCheck(KIND, streamShape)

/** Streams of one record that are read before others get a turn: about a millisecond. */
const STREAMS_PER_STEP = 50

/** Yields to other work after every batch of streams. */
async function pauseAfter(at: number): Promise<void> {
  if (at % STREAMS_PER_STEP === STREAMS_PER_STEP - 1) await nextIteration()
}

/** A component as the writes of its streams need it. */
interface Owner {
  readonly orgUid: string
  readonly uid: string
  readonly body: ComponentBody
  /** Who changes them: formulas read only what their author may. */
  readonly principal: Principal
}

/** The writes of an edit, and the audit entries of what they change. */
interface Edit {
  readonly writes: readonly CatalogWrite[]
  readonly entries: readonly PutDocument[]
}

/** The streams of a save as they will be, and what its commit has to make sure of. */
interface PlannedStreams {
  readonly bodies: readonly PlacedStreamBody[]
  readonly writes: readonly CatalogWrite[]
}

/** A stream on its way into a commit, at the revision that it had. */
type Draft = DerivedDraft & { readonly revision: number }

/** Refuses two streams of one save with the same ID, at the later one: the commit knows no places in lists. */
function refuseSharedIds(drafts: readonly Draft[]): void {
  const ids = new Set<string>()
  for (const { field, body } of drafts) {
    if (body.id !== '' && ids.has(body.id)) refuseTakenId('stream', body.id, `${field}.id`)
    ids.add(body.id)
  }
}

/** Get, list, insert, update and delete of a component's streams, each checked against rights. */
export class ComponentStreams {
  readonly #base: CatalogBase

  constructor(base: CatalogBase) {
    this.#base = base
  }

  /** A stream that is not saved, with a UID under which an update of its component can save it. */
  make(principal: Principal, componentUid: string, streamType: StreamType): StreamRecord {
    requirePermit(principal, `component/${componentUid}/stream`, 'GET')
    this.#requireEntry(principal.orgUid, componentUid)
    const { derivation: _, ...body } = defaultStream
    return { uid: newOrderedUid(), ...body, streamType, timeZoneId: '', revision: 0 }
  }

  async get(principal: Principal, componentUid: string, uid: string): Promise<StreamRecord> {
    requirePermit(principal, `component/${componentUid}/stream/${uid}`, 'GET')
    return await this.#show(principal, await this.#require(principal.orgUid, componentUid, uid))
  }

  /** In definition order. */
  async list(
    principal: Principal,
    componentUid: string,
    page: Page,
  ): Promise<RecordList<StreamRecord>> {
    requirePermit(principal, `component/${componentUid}/stream`, 'GET')
    this.#requireEntry(principal.orgUid, componentUid)
    return await this.page(principal, componentUid, page, new RecordBytes('stream'))
  }

  /**
   * A page of the streams that the caller may see, for callers that have checked the component. Without
   * `bytes` it may be of any length.
   */
  async page(
    principal: Principal,
    componentUid: string,
    page: Page,
    bytes?: RecordBytes,
  ): Promise<RecordList<StreamRecord>> {
    const { orgUid } = principal
    const { index } = this.#base.documents
    const handles = (index.componentByUid(orgUid, componentUid)?.streams ?? []).filter((handle) =>
      allows(principal, `component/${componentUid}/stream/${index.streamUid(handle)}`, 'GET'),
    )
    const records: StreamRecord[] = []
    const pacer = new Pacer(WORK_PER_SLICE)
    for (const handle of handles.slice(page.start, page.start + page.limit)) {
      // Others may delete streams in their turns.
      if (!index.has(handle)) continue
      const stream = await this.#base.documents.getStream(orgUid, index.streamUid(handle))
      if (stream === undefined) continue
      bytes?.add(JSON.stringify(stream))
      const record = await this.#show(principal, stream)
      records.push(record)
      // Whether a formula can be derived is part of the answer, so the stream is read again.
      await pacer.spend(workOfStream(record.derivation))
    }
    return { records, totalCount: handles.length }
  }

  async insert(principal: Author, componentUid: string, input: unknown): Promise<StreamRecord> {
    requirePermit(principal, `component/${componentUid}/stream`, 'PUT')
    checkShape(input)
    const fields = input as StreamInput
    const saved = await this.#edit(principal, componentUid, async (owner) => {
      const { index } = this.#base.documents
      const order = index.nextOrderOf(this.#requireEntry(principal.orgUid, componentUid))
      const uid = this.#uidsFor(owner)()
      const draft = await this.#draftInsert(owner, fields, { field: 'stream', uid, order })
      const writes = await this.#writesOf(owner, [draft])
      const detail = quoted(owner.body.id, draft.body.id)
      return {
        writes,
        entries: planChange(principal, { kind: KIND, uid, verb: 'created', detail }),
      }
    })
    return await this.#show(principal, saved[0])
  }

  async update(
    principal: Author,
    { componentUid, uid }: { componentUid: string; uid: string },
    input: unknown,
  ): Promise<StreamRecord> {
    requirePermit(principal, `component/${componentUid}/stream/${uid}`, 'POST')
    checkShape(input)
    const fields = input as StreamInput
    const saved = await this.#edit(principal, componentUid, async (owner) => {
      const before = await this.#require(principal.orgUid, componentUid, uid)
      refuseStale('stream', fields.revision, before)
      const draft = await this.#draftUpdate(owner, fields, { field: 'stream', before })
      const writes = await this.#writesOf(owner, [draft])
      return { writes, entries: entriesOfUpdate(principal, owner, { before, writes }) }
    })
    return await this.#show(principal, saved[0])
  }

  /** Takes the series from a stream: the next point of the series makes a new stream. */
  async detach(
    principal: Author,
    { componentUid, uid }: { componentUid: string; uid: string },
  ): Promise<StreamRecord> {
    requirePermit(principal, `component/${componentUid}/stream/${uid}`, 'POST')
    const { orgUid } = principal
    const saved = await this.#edit(principal, componentUid, async (owner) => {
      const before = await this.#require(orgUid, componentUid, uid)
      const { series, ...body } = streamBodyOf(before)
      const write = streamWrite({ orgUid, uid, componentUid }, body, before.revision)
      const name = quoted(owner.body.id, before.id)
      const fields = series === undefined ? [] : ['series']
      return { writes: [write], entries: planUpdate(principal, { kind: KIND, uid, name, fields }) }
    })
    return await this.#show(principal, saved[0])
  }

  /** Deletes a stream and, through the listeners, its samples and files. */
  async delete(principal: Author, componentUid: string, uid: string): Promise<void> {
    requirePermit(principal, `component/${componentUid}/stream/${uid}`, 'DELETE')
    const change = (body: ComponentBody) => withoutStream(body, { componentUid, uid })
    const editOf = async ({ orgUid, body }: Owner): Promise<Edit> => {
      const { id, revision: expectedRevision } = await this.#require(orgUid, componentUid, uid)
      const detail = quoted(body.id, id)
      const entries = planChange(principal, { kind: KIND, uid, verb: 'deleted', detail })
      return { writes: [{ op: 'delete', orgUid, kind: KIND, uid, expectedRevision }], entries }
    }
    await this.#edit(principal, componentUid, editOf, change)
  }

  /** The streams of a component that is being inserted, and what its commit has to make sure of for them. */
  async planInsert(owner: Owner, inputs: readonly StreamInput[]): Promise<PlannedStreams> {
    const drafts: Draft[] = []
    const nextUid = this.#uidsFor(owner)
    for (const [order, input] of inputs.entries()) {
      await pauseAfter(order)
      const place = { field: `component.stream[${order}]`, uid: nextUid(), order }
      drafts.push(await this.#draftInsert(owner, input, place))
    }
    return await this.#plan(owner, drafts)
  }

  /**
   * The writes for the streams named in an edit of a component. Named streams come first, in the order of the list; the
   * others follow in their old order. A stream without UID, or with an unknown one, is added. The caller holds the
   * locks that `locksOf` returns.
   */
  async updateWrites(
    owner: Owner,
    inputs: readonly StreamInput[] | undefined,
  ): Promise<CatalogWrite[]> {
    if (inputs === undefined) return []
    const { index } = this.#base.documents
    const handles = this.#requireEntry(owner.orgUid, owner.uid).streams
    const named = new Set<string>()
    const nextUid = this.#uidsFor(owner)
    const drafts: Draft[] = []
    for (const [order, input] of inputs.entries()) {
      await pauseAfter(order)
      const field = `component.stream[${order}]`
      if (!input.uid) {
        drafts.push(await this.#draftInsert(owner, input, { field, uid: nextUid(), order }))
        continue
      }
      if (named.has(input.uid)) refuseField(`${field}.uid`, 'is listed twice')
      named.add(input.uid)
      const before = await this.#base.documents.getStream(owner.orgUid, input.uid)
      if (before === undefined && this.#isFree(owner, input.uid)) {
        drafts.push(await this.#draftInsert(owner, input, { field, uid: input.uid, order }))
        continue
      }
      if (before?.componentUid !== owner.uid) {
        refuseField(`${field}.uid`, `"${input.uid.slice(0, 60)}" is not a stream of this component`)
      }
      drafts.push(await this.#draftUpdate(owner, input, { field, before, order }))
    }
    const writes = await this.#writesOf(owner, drafts)
    const rest = handles.filter((handle) => !named.has(index.streamUid(handle)))
    return [...writes, ...(await this.#pushBack(owner, rest, inputs.length))]
  }

  /** What to lock for an edit of a component: itself, and the UIDs that it may give to streams. */
  locksOf(componentUid: string, inputs: readonly StreamInput[] = []): string[] {
    return [componentUid, ...inputs.flatMap(({ uid }) => (uid ? [uid] : []))]
  }

  #uidsFor(owner: Owner): () => string {
    return streamUidsFor(owner.uid, this.#lastOrdinalOf(owner), this.#base.documents.index)
  }

  #lastOrdinalOf({ orgUid, uid, body }: Owner): number {
    return lastOrdinalOf(body, this.#base.documents.index.componentByUid(orgUid, uid))
  }

  /** UIDs are one space over all organizations: the index finds streams by them alone. */
  #isFree(owner: Owner, uid: string): boolean {
    const { index } = this.#base.documents
    if (!isUid(uid) || index.hasUid(uid)) return false
    const own = { uid: owner.uid, lastOrdinal: this.#lastOrdinalOf(owner) }
    return !isReserved(uid, own, index)
  }

  async #pushBack(
    owner: Owner,
    handles: readonly StreamHandle[],
    firstOrder: number,
  ): Promise<CatalogWrite[]> {
    const { index } = this.#base.documents
    const writes: CatalogWrite[] = []
    for (const [at, handle] of handles.entries()) {
      const order = firstOrder + at
      if (index.orderOf(handle) === order) continue
      const before = await this.#require(owner.orgUid, owner.uid, index.streamUid(handle))
      const body = { ...streamBodyOf(before), order }
      const key = { orgUid: owner.orgUid, uid: before.uid, componentUid: owner.uid }
      writes.push(streamWrite(key, body, before.revision))
    }
    return writes
  }

  /** Commits stream writes together with a touch of the component, so that no delete slips past. */
  async #edit(
    principal: Principal,
    componentUid: string,
    editOf: (owner: Owner) => Promise<Edit>,
    change: (body: ComponentBody) => ComponentBody = (body) => body,
  ): Promise<readonly StoredStream[]> {
    const { documents, locks } = this.#base
    const { orgUid } = principal
    return await locks.run([componentUid], () =>
      retryConflicts(documents, async () => {
        const stored = await documents.getComponent(orgUid, componentUid)
        if (stored === undefined) refuseUnknown('component', componentUid)
        const body = componentBodyOf(stored)
        const edit = await editOf({ orgUid, uid: componentUid, body, principal })
        const key = { orgUid, uid: componentUid }
        const component = componentWrite(key, change(body), stored.revision)
        const { records } = await documents.commit([component, ...edit.writes], edit.entries)
        return records.slice(1) as readonly StoredStream[]
      }),
    )
  }

  async #draftInsert(
    owner: Owner,
    input: StreamInput,
    place: { readonly field: string; readonly uid: string; readonly order: number },
  ): Promise<Draft> {
    const { field, uid, order } = place
    const references = referencesOf(this.#base, owner.orgUid)
    const body = await readStream(field, input, { before: defaultStream, references })
    const cycle = body.baseCycle === null ? undefined : await references.findCycle(body.baseCycle)
    const placed = placeStream(body, { order, cycle, timeZone: owner.body.timeZoneId })
    const { derivation } = input
    return { field, uid, body: placed, input: derivation, before: undefined, revision: 0 }
  }

  async #draftUpdate(
    owner: Owner,
    input: StreamInput,
    place: { readonly field: string; readonly before: StoredStream; readonly order?: number },
  ): Promise<Draft> {
    const { field } = place
    const { uid, revision } = place.before
    const references = referencesOf(this.#base, owner.orgUid)
    const before = streamBodyOf(place.before)
    const body = await readStream(field, input, { before, references })
    checkStreamChange(field, before, body)
    const { order = before.order } = place
    const { grid, series } = before
    const placed = { ...body, order, grid, ...(series === undefined ? {} : { series }) }
    return { field, uid, body: placed, input: input.derivation, before, revision }
  }

  /** The writes of drafts. */
  async #writesOf(owner: Owner, drafts: readonly Draft[]): Promise<CatalogWrite[]> {
    const { orgUid, uid: componentUid } = owner
    const { bodies, writes } = await this.#plan(owner, drafts)
    const puts: PutStream[] = []
    for (const [at, { uid, revision }] of drafts.entries()) {
      await pauseAfter(at)
      puts.push(streamWrite({ orgUid, uid, componentUid }, bodies[at], revision))
    }
    return [...writes, ...puts]
  }

  /** Settles drafts, whose formulas may read each other. */
  async #plan(owner: Owner, drafts: readonly Draft[]): Promise<PlannedStreams> {
    refuseSharedIds(drafts)
    const { orgUid, principal, uid: componentUid, body: component } = owner
    const scope = { orgUid, componentUid, componentId: component.id, drafts }
    const context = {
      orgUid,
      principal,
      timeZone: component.timeZoneId,
      finder: new SourceFinder(this.#base.documents, scope),
      references: referencesOf(this.#base, orgUid),
    }
    const settled = await settleDerivations(context, drafts)
    const bodies = await this.#withLeftAlone(orgUid, drafts, settled.bodies)
    const writes = [...settled.writes]
    for (const [at, { before }] of drafts.entries()) {
      await pauseAfter(at)
      writes.push(...this.#useWrites(owner, { before, after: bodies[at] }))
    }
    return { bodies, writes }
  }

  async #withLeftAlone(
    orgUid: string,
    drafts: readonly Draft[],
    bodies: readonly PlacedStreamBody[],
  ): Promise<readonly PlacedStreamBody[]> {
    const { documents, derivationStatus } = this.#base
    const streams = drafts.map(({ before }, at) => ({ before, after: bodies[at] }))
    const newestOf = derivationStatus.book?.newestOf
    return await withLeftAlone({ orgUid, index: documents.index, newestOf }, streams)
  }

  #useWrites({ orgUid }: Owner, change: { before?: StreamBody; after: StreamBody }) {
    const { before, after } = change
    return useWrites(usesOfStream(this.#base, orgUid, { before, after }))
  }

  async #show(principal: Principal, stream: StoredStream): Promise<StreamRecord> {
    const { documents, derivationStatus } = this.#base
    const names = sourceNames(documents.index, principal.orgUid, principal)
    const shown = showStream(stream, names)
    if (shown.derivation === undefined) return shown
    const status = await derivationStatus.book?.read(stream.handle)
    if (status === undefined) return shown
    const isSeen = mayReadSources(principal, shown.derivation, stream.componentUid)
    return { ...shown, derivationStatus: isSeen ? status : withoutValues(status) }
  }

  #requireEntry(orgUid: string, componentUid: string) {
    const entry = this.#base.documents.index.componentByUid(orgUid, componentUid)
    if (entry === undefined) refuseUnknown('component', componentUid)
    return entry
  }

  async #require(orgUid: string, componentUid: string, uid: string): Promise<StoredStream> {
    this.#requireEntry(orgUid, componentUid)
    const stream = await this.#base.documents.getStream(orgUid, uid)
    if (stream?.componentUid !== componentUid) refuseUnknown('stream', uid)
    return stream
  }
}

function entriesOfUpdate(
  author: Author,
  { body: component }: Owner,
  { before, writes }: { before: StoredStream; writes: readonly CatalogWrite[] },
): readonly PutDocument[] {
  const { uid } = before
  const after = writes.find(({ op }) => op === 'put_stream') as PutStream
  const name = quoted(component.id, before.id)
  const fields = changedFields(streamBodyOf(before), streamBodyOf(after))
  return planUpdate(author, { kind: KIND, uid, name, fields })
}
