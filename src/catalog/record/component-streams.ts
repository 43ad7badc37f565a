import { allows, type Principal, requirePermit } from '../../access/index.ts'
import { newOrderedUid, RecordBytes } from '../../base/index.ts'
import type { CatalogDocument, CatalogWrite, StreamHandle } from '../../store/index.ts'
import { type CatalogBase, referencesOf, usesOfStream } from '../documents/catalog-base.ts'
import { NOTHING_ALONG } from '../documents/plan-along.ts'
import { useOrders } from '../documents/record-uses.ts'
import { retryConflicts } from '../documents/retry-conflicts.ts'
import { type ComponentBody, componentBodyOf } from '../shape/component-shape.ts'
import { refuseField, shapeCheck } from '../shape/record-checks.ts'
import type { StreamType } from '../shape/stream-kind.ts'
import {
  defaultStream,
  type StreamBody,
  type StreamInput,
  type StreamRecord,
  streamBodyOf,
  streamShape,
} from '../shape/stream-shape.ts'
import { putComponentOrder } from './component-rules.ts'
import { type Page, type RecordList, refuseStale, refuseUnknown } from './simple-records.ts'
import {
  checkStreamChange,
  placeStream,
  putStreamOrder,
  readStream,
  showStream,
} from './stream-rules.ts'
import { lastOrdinalOf, streamUidsFor, withoutStream } from './stream-uids.ts'

const checkShape = shapeCheck('stream', streamShape)
const UID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** IDs as in JSON, since they may hold whatever else is written beside them. */
const quoted = (...ids: readonly string[]) => ids.map((id) => JSON.stringify(id)).join(' / ')

/** A component as the writes of its streams need it. */
interface Owner {
  readonly orgUid: string
  readonly uid: string
  readonly body: ComponentBody
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
    return { uid: newOrderedUid(), ...defaultStream, streamType, timeZoneId: '', revision: 0 }
  }

  async get(principal: Principal, componentUid: string, uid: string): Promise<StreamRecord> {
    requirePermit(principal, `component/${componentUid}/stream/${uid}`, 'GET')
    return showStream(await this.#require(principal.orgUid, componentUid, uid))
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
    for (const handle of handles.slice(page.start, page.start + page.limit)) {
      const document = await this.#document(orgUid, index.streamUid(handle))
      if (document === undefined) continue
      bytes?.add(JSON.stringify(document.body))
      records.push(showStream(document))
    }
    return { records, totalCount: handles.length }
  }

  async insert(principal: Principal, componentUid: string, input: unknown): Promise<StreamRecord> {
    requirePermit(principal, `component/${componentUid}/stream`, 'PUT')
    checkShape(input)
    const fields = input as StreamInput
    const saved = await this.#edit(principal.orgUid, componentUid, async (owner) => {
      const { index } = this.#base.documents
      const order = index.nextOrderOf(this.#requireEntry(principal.orgUid, componentUid))
      const uid = this.#uidsFor(owner)()
      return await this.#insertOrders(owner, fields, { field: 'stream', uid, order })
    })
    return showStream(saved[0])
  }

  async update(
    principal: Principal,
    { componentUid, uid }: { componentUid: string; uid: string },
    input: unknown,
  ): Promise<StreamRecord> {
    requirePermit(principal, `component/${componentUid}/stream/${uid}`, 'POST')
    checkShape(input)
    const fields = input as StreamInput
    const saved = await this.#edit(principal.orgUid, componentUid, async (owner) => {
      const before = await this.#require(principal.orgUid, componentUid, uid)
      refuseStale('stream', fields.revision, before)
      return await this.#updateStreamOrders(owner, fields, { field: 'stream', before })
    })
    return showStream(saved[0])
  }

  /** Deletes a stream and, through the listeners, its samples and files. */
  async delete(
    principal: Principal,
    componentUid: string,
    uid: string,
    planAlong = NOTHING_ALONG,
  ): Promise<void> {
    requirePermit(principal, `component/${componentUid}/stream/${uid}`, 'DELETE')
    const change = (body: ComponentBody) => withoutStream(body, { componentUid, uid })
    const ordersFor = async ({ orgUid, body }: Owner): Promise<CatalogWrite[]> => {
      const document = await this.#require(orgUid, componentUid, uid)
      const { revision: expectedRevision } = document
      const along = planAlong(quoted(body.id, streamBodyOf(document).id))
      return [{ op: 'delete', orgUid, kind: 'stream', uid, expectedRevision }, ...along]
    }
    await this.#edit(principal.orgUid, componentUid, ordersFor, change)
  }

  /** The writes for the streams of a component that is being inserted. */
  async insertOrders(owner: Owner, inputs: readonly StreamInput[]): Promise<CatalogWrite[]> {
    const orders: CatalogWrite[] = []
    const nextUid = this.#uidsFor(owner)
    for (const [order, input] of inputs.entries()) {
      const place = { field: `component.stream[${order}]`, uid: nextUid(), order }
      orders.push(...(await this.#insertOrders(owner, input, place)))
    }
    return orders
  }

  /**
   * The writes for the streams named in an edit of a component: they come first, in the order of the
   * list; streams without UID, or with one that no stream has, are added; those not named stay
   * behind them as they were. The caller holds the locks that `locksOf` tells.
   */
  async updateOrders(
    owner: Owner,
    inputs: readonly StreamInput[] | undefined,
  ): Promise<CatalogWrite[]> {
    if (inputs === undefined) return []
    const { index } = this.#base.documents
    const handles = this.#requireEntry(owner.orgUid, owner.uid).streams
    const named = new Set<string>()
    const nextUid = this.#uidsFor(owner)
    const orders: CatalogWrite[] = []
    for (const [order, input] of inputs.entries()) {
      const field = `component.stream[${order}]`
      if (!input.uid) {
        orders.push(...(await this.#insertOrders(owner, input, { field, uid: nextUid(), order })))
        continue
      }
      if (named.has(input.uid)) refuseField(`${field}.uid`, 'is named twice in this list')
      named.add(input.uid)
      const before = await this.#document(owner.orgUid, input.uid)
      if (before === undefined && this.#isFree(input.uid)) {
        orders.push(...(await this.#insertOrders(owner, input, { field, uid: input.uid, order })))
        continue
      }
      if (before?.parentUid !== owner.uid) {
        refuseField(`${field}.uid`, `"${input.uid.slice(0, 60)}" is no stream of this component`)
      }
      orders.push(...(await this.#updateStreamOrders(owner, input, { field, before, order })))
    }
    const rest = handles.filter((handle) => !named.has(index.streamUid(handle)))
    return [...orders, ...(await this.#pushBack(owner, rest, inputs.length))]
  }

  /** What to lock for an edit of a component: itself, and the UIDs that it may give to streams. */
  locksOf(componentUid: string, inputs: readonly StreamInput[] = []): string[] {
    return [componentUid, ...inputs.flatMap(({ uid }) => (uid ? [uid] : []))]
  }

  #uidsFor({ orgUid, uid, body }: Owner): () => string {
    const entry = this.#base.documents.index.componentByUid(orgUid, uid)
    return streamUidsFor(uid, lastOrdinalOf(body, entry))
  }

  /** UIDs are one space over all organizations: the index finds streams by them alone. */
  #isFree(uid: string): boolean {
    return UID.test(uid) && !this.#base.documents.index.hasStreamUid(uid)
  }

  async #pushBack(
    owner: Owner,
    handles: readonly StreamHandle[],
    firstOrder: number,
  ): Promise<CatalogWrite[]> {
    const { index } = this.#base.documents
    const orders: CatalogWrite[] = []
    for (const [at, handle] of handles.entries()) {
      const order = firstOrder + at
      if (index.orderOf(handle) === order) continue
      const before = await this.#require(owner.orgUid, owner.uid, index.streamUid(handle))
      const body = { ...streamBodyOf(before), order }
      const key = { orgUid: owner.orgUid, uid: before.uid, componentUid: owner.uid }
      orders.push(putStreamOrder(key, body, before.revision))
    }
    return orders
  }

  /** Commits stream writes together with a touch of the component, so that no delete slips past. */
  async #edit(
    orgUid: string,
    componentUid: string,
    ordersFor: (owner: Owner) => Promise<CatalogWrite[]>,
    change: (body: ComponentBody) => ComponentBody = (body) => body,
  ): Promise<CatalogDocument[]> {
    const { documents, locks } = this.#base
    return await locks.run([componentUid], () =>
      retryConflicts(documents, async () => {
        const document = await documents.get({ orgUid, kind: 'component', uid: componentUid })
        if (document === undefined) refuseUnknown('component', componentUid)
        const body = componentBodyOf(document)
        const orders = await ordersFor({ orgUid, uid: componentUid, body })
        const key = { orgUid, uid: componentUid }
        const component = putComponentOrder(key, change(body), document.revision)
        const saved = await documents.commit([component, ...orders])
        return saved.slice(1)
      }),
    )
  }

  async #insertOrders(
    owner: Owner,
    input: StreamInput,
    place: { readonly field: string; readonly uid: string; readonly order: number },
  ): Promise<CatalogWrite[]> {
    const references = referencesOf(this.#base, owner.orgUid)
    const body = await readStream(place.field, input, { before: defaultStream, references })
    const cycle = body.baseCycle === null ? undefined : await references.findCycle(body.baseCycle)
    const timeZone = owner.body.timeZoneId
    const placed = placeStream(body, { order: place.order, cycle, timeZone })
    const key = { orgUid: owner.orgUid, uid: place.uid, componentUid: owner.uid }
    return [putStreamOrder(key, placed, 0), ...this.#useOrders(owner, { after: body })]
  }

  async #updateStreamOrders(
    owner: Owner,
    input: StreamInput,
    place: { readonly field: string; readonly before: CatalogDocument; readonly order?: number },
  ): Promise<CatalogWrite[]> {
    const references = referencesOf(this.#base, owner.orgUid)
    const before = streamBodyOf(place.before)
    const body = await readStream(place.field, input, { before, references })
    checkStreamChange(place.field, before, body)
    const { order = before.order } = place
    const key = { orgUid: owner.orgUid, uid: place.before.uid, componentUid: owner.uid }
    const placed = { ...body, order, grid: before.grid }
    const stream = putStreamOrder(key, placed, place.before.revision)
    return [stream, ...this.#useOrders(owner, { before, after: body })]
  }

  #useOrders({ orgUid }: Owner, change: { before?: StreamBody; after: StreamBody }) {
    const { before, after } = change
    return useOrders(usesOfStream(this.#base, orgUid, { before, after }))
  }

  #requireEntry(orgUid: string, componentUid: string) {
    const entry = this.#base.documents.index.componentByUid(orgUid, componentUid)
    if (entry === undefined) refuseUnknown('component', componentUid)
    return entry
  }

  async #require(orgUid: string, componentUid: string, uid: string): Promise<CatalogDocument> {
    this.#requireEntry(orgUid, componentUid)
    const document = await this.#document(orgUid, uid)
    if (document?.parentUid !== componentUid) refuseUnknown('stream', uid)
    return document
  }

  async #document(orgUid: string, uid: string): Promise<CatalogDocument | undefined> {
    return await this.#base.documents.get({ orgUid, kind: 'stream', uid })
  }
}
