/** Components and streams as a catalog store keeps them: typed, because there are millions of them. */
import type { DocumentKey, JsonObject } from './document-key.ts'
import type { StreamHandle } from './sample-port.ts'

/** Names and texts that distinguish streams. */
export type Labels = Readonly<Record<string, string>>

/** What a component says of itself, beside its UID and revision. */
export interface ComponentFields {
  /** Unique in the organization; '' for none. */
  readonly id: string
  readonly name: string
  /**
   * The path below the root folder, such as `/site/hall`; '' for the root itself. Lists come in the order of the path
   * with a slash at its end, then of the name's first LISTED_NAME_LENGTH characters, then as they were made.
   */
  readonly folder: string
  readonly timeZone: string
  readonly createdAtMs: number
  readonly owner: { readonly uid: string; readonly name: string } | null
  /** Of the streams that are gone, the last whose UID was counted from that of the component. */
  readonly lastOrdinal: number
  /** The texts by which doors find it, each unique in the organization. */
  readonly addressedAs: readonly string[]
  /** All other fields that are not as by default. The store does not look into them. */
  readonly more: JsonObject
}

/** What a stream says of itself, beside ID, name and place. */
export interface StreamDefinition {
  /** How its samples lie in time, and the type of their values: numbers of the catalog, below 16 and 64. */
  readonly streamKind: number
  readonly valueCode: number
  readonly isDerived: boolean
  readonly hasDeleteProfile: boolean
  /** The frozen base cycle of an interval stream, else ''. */
  readonly grid: string
  /** All other fields that are not as by default. The store does not look into them. */
  readonly more: JsonObject
}

/** What a stream says of itself, beside its UID, handle and revision. */
export interface StreamFields extends StreamDefinition {
  /** Unique in its component; '' for none. */
  readonly id: string
  readonly name: string
  /** Its place in the definition order of its component; streams of one place come in the order of their UIDs. */
  readonly order: number
  readonly labels?: Labels
  /** The labels by which a door finds it, unique in the organization. */
  readonly series?: Labels
}

/** So much of a name decides the place in lists: an index repeats it. */
export const LISTED_NAME_LENGTH = 100

/** A component of the catalog. */
export interface StoredComponent extends DocumentKey, ComponentFields {
  readonly kind: 'component'
  /** 1 when made, one more with each change. */
  readonly revision: number
}

/** A stream of the catalog. */
export interface StoredStream extends DocumentKey, StreamFields {
  readonly kind: 'stream'
  readonly componentUid: string
  readonly handle: StreamHandle
  readonly revision: number
}

/** As PutDocument says it of documents. */
interface PutExpectation {
  readonly expectedRevision: number | 'any'
  readonly revision?: number
  readonly mayUseReserve?: boolean
}

/** Changes a component, or brings one from another store. */
export interface PutComponent extends DocumentKey, ComponentFields, PutExpectation {
  readonly op: 'put_component'
  readonly kind: 'component'
}

/** Changes a stream, or adds one to a component, which then gets a handle. */
export interface PutStream extends DocumentKey, StreamFields, PutExpectation {
  readonly op: 'put_stream'
  readonly kind: 'stream'
  readonly componentUid: string
}

/**
 * Makes components that must not exist yet, with their streams: one device or a hundred thousand. In columns, because an
 * object for each would cost more than storing it. UIDs of streams are counted from that of their component, and their
 * places in it from 0.
 */
export interface CreateComponents extends DocumentKey {
  readonly op: 'create'
  readonly kind: 'component'
  /** That of the first component. */
  readonly uid: string
  readonly expectedRevision: 0
  readonly uids: readonly string[]
  readonly ids: readonly string[]
  /** Their IDs unless given. */
  readonly names?: readonly string[]
  readonly addressedAs?: readonly (readonly string[])[]
  readonly common: Omit<ComponentFields, 'id' | 'name' | 'lastOrdinal' | 'addressedAs'>
  /** How many streams each component has. */
  readonly streamCounts: readonly number[]
  /** Of all streams, component by component. */
  readonly streamIds: readonly string[]
  readonly streamNames?: readonly string[]
  readonly labels?: readonly (Labels | undefined)[]
  readonly series?: readonly (Labels | undefined)[]
  readonly definitions: readonly StreamDefinition[]
  /** Which of `definitions` each stream has. */
  readonly definitionOf: readonly number[]
}

/** A page of components. */
export interface ComponentList {
  readonly orgUid: string
  /** Only those in this folder and below, or in itself alone. */
  readonly folder?: string
  readonly isDirect?: boolean
  readonly start: number
  readonly limit: number
  /** Those that do not check are left out, though counted, instead of failing the whole list. */
  readonly leavesOutDamaged?: boolean
  /** Neither shown nor counted. */
  readonly exceptUids?: readonly string[]
  /** Refuses a page of several that take more as JSON; one always passes. */
  readonly bytesMax?: number
}

/** A walk over the streams that have labels or a look-back. */
export interface LabeledWalk {
  readonly orgUid: string
  readonly after?: string
  readonly limit: number
}

/** Some of these streams, and where the walk continues. */
export interface LabeledPage {
  readonly streams: StoredStream[]
  readonly next?: string
}

/** The field of StreamDefinition.more that queries of Prometheus read. */
export const LOOKBACK_FIELD = 'lookbackMs'

/** What a start reads of some components, in columns. */
export interface ScannedComponents {
  /** Numbers by which ScannedStreams names them. */
  readonly refs: readonly number[]
  readonly orgUids: readonly string[]
  /** Four numbers of 32 bits for each. */
  readonly uidWords: Uint32Array
  readonly ids: readonly string[]
  readonly timeZones: readonly string[]
}

/** What a start reads of some streams, in columns; those of one component come one after the other. */
export interface ScannedStreams {
  readonly componentRefs: readonly number[]
  /** 0 for a stream whose UID is not counted from that of its component. */
  readonly ordinals: readonly number[]
  /** The UIDs of the others, by their place. */
  readonly uids: ReadonlyMap<number, string>
  readonly handles: readonly number[]
  readonly ids: readonly string[]
  readonly orders: readonly number[]
  /** The definitions of streams repeat: those that are alike are one object. */
  readonly definitions: readonly Omit<StreamDefinition, 'more'>[]
}

/** Who takes in what a start reads. */
export interface IndexReceiver {
  /** Called first, so that room can be made at once. `streams` is about the greatest handle. */
  onCount(counts: { readonly components: number; readonly streams: number }): void
  /** All components come before the first stream. */
  onComponents(components: ScannedComponents): void
  onStreams(streams: ScannedStreams): void
}

/**
 * Components and streams that cannot be read, as far as it is known which. Each question is about one that was
 * looked for and not found; the result names the damage if the lost record may be there.
 */
export interface LostComponents {
  ofComponentId(orgUid: string, id: string): string | undefined
  /** A component or stream with a UID, or any stream of a component with it. */
  ofUid(uid: string): string | undefined
  /** Any in an organization. */
  ofOrganization(orgUid: string): string | undefined
}

/** The reads of components and streams; they reject with CatalogDamaged as those of documents do. */
export interface ComponentReads {
  get(orgUid: string, uid: string): Promise<StoredComponent | undefined>
  getStream(orgUid: string, uid: string): Promise<StoredStream | undefined>
  findById(orgUid: string, id: string): Promise<StoredComponent | undefined>
  /** The component of each address, undefined for an address of none. A caller asks for some dozens at a time. */
  findAddressed(
    orgUid: string,
    addresses: readonly string[],
  ): Promise<(StoredComponent | undefined)[]>
  /** The stream of each series, undefined for a series of none. A caller asks for some dozens at a time. */
  findSeries(orgUid: string, series: readonly Labels[]): Promise<(StoredStream | undefined)[]>
  /** The streams of a component in definition order, some of them at a time. */
  streamsOf(
    orgUid: string,
    componentUid: string,
    page: { readonly start: number; readonly limit: number },
  ): Promise<StoredStream[]>
  /**
   * Streams of an organization that have labels or a look-back, in no order, some at a time. Pages may be empty. `after`
   * is the `next` of the page before. Streams that do not check are left out.
   */
  walkLabeled(query: LabeledWalk): Promise<LabeledPage>
  list(query: ComponentList): Promise<{ components: StoredComponent[]; totalCount: number }>
  /** As CatalogStore.walk(), over the components of an organization. */
  walk(query: {
    readonly orgUid: string
    readonly after?: string
    readonly limit: number
  }): Promise<{ components: StoredComponent[]; next?: string }>
  /**
   * Hands all components and streams to the receiver: a million in about a second, no JSON of them read. What is `lost`
   * did not check and was not handed out.
   */
  scan(receiver: IndexReceiver): Promise<{ cursor: number; lost?: LostComponents }>
  /** As scan(), for one organization. Only stores that several processes share have it. */
  scanOrganization?(orgUid: string, receiver: IndexReceiver): Promise<{ cursor: number }>
}
