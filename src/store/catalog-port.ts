import type { NewFamilies } from '../base/index.ts'
import type { StreamHandle } from './sample-port.ts'

export type JsonValue =
  | null
  | boolean
  | number
  | string
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue }
export type JsonObject = { readonly [key: string]: JsonValue }

/** A document's address. Server-wide kinds (users, sessions, …) have the organization ''. */
export interface DocumentKey {
  readonly orgUid: string
  readonly kind: string
  readonly uid: string
}

/** What the catalog keeps: a JSON object whose shape belongs to the part that owns its kind. */
export interface CatalogDocument extends DocumentKey {
  /** The document this one lives in, '' when none: a stream's is its component. */
  readonly parentUid: string
  /** 1 when inserted, one more with each update. */
  readonly revision: number
  /** Lists come in the order of this key, then of the UID. Folders are prefixes of it. */
  readonly listKey: string
  /** When the document may be purged (tokens, sessions), or undefined: never by itself. */
  readonly expiresAtMs: number | undefined
  /** Given to documents of kind 'stream' on insertion, undefined for every other kind. */
  readonly handle: StreamHandle | undefined
  readonly body: JsonObject
}

export interface PutDocument extends DocumentKey {
  readonly op: 'put'
  readonly parentUid?: string
  readonly listKey?: string
  readonly expiresAtMs?: number
  readonly body: JsonObject
  /**
   * May be written from the reserve of a full disk: what people need to make room again. A commit
   * uses it when all its puts may; deletes always may.
   */
  readonly mayUseReserve?: boolean
  /** The few fields a cache needs of every document of its kind, packed by the caller. */
  readonly index?: string
  /**
   * Everything this document claims for itself in its organization, e.g. `component_id:boiler`; the
   * full set after the write. No two living documents of an organization hold one claim.
   */
  readonly claims?: readonly string[]
  /** The revision the caller has seen; 0: the document must not exist yet; 'any': last write wins. */
  readonly expectedRevision: number | 'any'
  /** The revision it gets in the place of the next: of a document that comes from another store. */
  readonly revision?: number
}

interface DeleteDocument extends DocumentKey {
  readonly op: 'delete'
  /** As for put; deleting what is not there with 'any' does nothing. */
  readonly expectedRevision: number | 'any'
}

/**
 * Writes nothing: the commit is made only if the document is as told, in its turn among the writes. So
 * a commit that begins to refer to a document cannot pass one that deletes it.
 */
interface ExpectDocument extends DocumentKey {
  readonly op: 'expect'
  /** The revision it must have; 0: it must not exist; 'any': it must exist. */
  readonly expectedRevision: number | 'any'
}

/** The ID that documents of a fleet have in their pattern. */
export const PATTERN_ID = '\u0001'

/**
 * What documents of a fleet have in common, as the same fields of a put tell it of one whose ID is
 * PATTERN_ID. Another has its own ID in the place of that: as `id` of the body, and at the end of list key,
 * index and claims where the pattern ends with it. Claims of streams leave out the UID of their component.
 */
export type FleetPattern = Required<Pick<PutDocument, 'listKey' | 'index' | 'claims' | 'body'>>

/**
 * Components that must not exist yet, each with its streams, and no other ID than their own to tell them
 * apart: a fleet that signs on. In columns, as an object for each document would cost more than storing
 * it. It is a commit by itself, and resolves with the first stream; the handles of the others count on from that one's.
 */
export interface PutFleet extends DocumentKey, NewFamilies {
  readonly op: 'fleet'
  readonly kind: 'component'
  /** That of the first component. */
  readonly uid: string
  readonly expectedRevision: 0
  readonly compIds: readonly string[]
  /** How many streams each component has, at least one and at most FLEET_STREAMS_MAX. */
  readonly streamCounts: readonly number[]
  /** Of all streams, component by component; their UIDs are counted from that of their component. */
  readonly streamIds: readonly string[]
  readonly head: FleetPattern
  readonly members: readonly FleetPattern[]
  /** Which of `members` each stream is. */
  readonly memberOf: readonly number[]
}

/** Of one component of a fleet. */
export const FLEET_STREAMS_MAX = 100

export type CatalogWrite = PutDocument | DeleteDocument | ExpectDocument | PutFleet

/** A commit that was not made, because of what others had written. Nothing of it is kept. */
export class CatalogConflict extends Error {
  /** The claim that another document holds, or undefined when a revision differed. */
  readonly claim: string | undefined
  readonly key: DocumentKey

  constructor(key: DocumentKey, claim: string | undefined) {
    super(claim === undefined ? `revision of ${key.kind} ${key.uid} differs` : `claim ${claim}`)
    this.name = 'CatalogConflict'
    this.key = key
    this.claim = claim
  }
}

/** Something the catalog holds does not check. It is told instead of a value that may be wrong. */
export class CatalogDamaged extends Error {
  /** What is wrong and where, without values. */
  readonly what: string

  constructor(what: string, options?: ErrorOptions) {
    super(`The catalog is damaged: ${what}`, options)
    this.name = 'CatalogDamaged'
    this.what = what
  }
}

/** What an organization may have of some kinds together; `bytes` as CatalogStore.usage() counts. */
export interface CatalogLimit {
  readonly orgUid: string
  readonly kinds: readonly string[]
  readonly of: 'documents' | 'bytes'
  readonly max: number
}

/** A commit that was not made, because more would be there than a limit allows. */
export class CatalogLimitReached extends Error {
  readonly limit: CatalogLimit

  constructor(limit: CatalogLimit) {
    super(`at most ${limit.max} ${limit.of} of ${limit.kinds.join(', ')}`)
    this.name = 'CatalogLimitReached'
    this.limit = limit
  }
}

/** How many documents of a kind an organization has, and their bytes: of the JSON and the list key. */
export interface KindUsage {
  readonly kind: string
  readonly documents: number
  readonly bytes: number
}

export interface ListQuery {
  readonly orgUid: string
  readonly kind: string
  readonly parentUid?: string
  /** Only documents whose listKey begins with this. */
  readonly listKeyPrefix?: string
  /** Only documents that are not over at this time: what has expired stays until it is purged. */
  readonly aliveAtMs?: number
  readonly start: number
  readonly limit: number
  /** From the greatest listKey down instead of up. */
  readonly descending?: boolean
  /** Documents that do not check are left out, though counted, instead of failing the whole list. */
  readonly leavesOutDamaged?: boolean
  /** UIDs of documents that are neither shown nor counted. */
  readonly exceptUids?: readonly string[]
  /** Refuses a page of several documents that take more as JSON, without reading on; one always passes. */
  readonly bytesMax?: number
}

/** A step of a walk over all documents of a kind; streams are not walked over. */
export interface WalkQuery {
  readonly orgUid: string
  readonly kind: string
  /** Where the step before has ended; undefined: at the first. */
  readonly after?: string
  readonly limit: number
  /**
   * Walks down instead, from the greatest list key before `until` to the least from `from` on. Not for components,
   * which may share a row.
   */
  readonly down?: { readonly from: string; readonly until: string }
}

export interface CatalogChange extends DocumentKey {
  readonly cursor: number
  readonly parentUid: string
  readonly isDeleted: boolean
  /** Whether this store made it and told its caller so: its memory has followed then. */
  readonly isOwn?: true
}

/** A document that a commit has written, or only looked at, as those are told who keep documents in memory. */
export interface WrittenKey extends DocumentKey {
  /** Unknown of a commit that another process made: then it was written. */
  readonly op?: CatalogWrite['op']
}

/** A right to do something that must happen once in a cluster; the fence rises with every holder. */
export interface Lease {
  readonly name: string
  readonly holder: string
  readonly fence: number
}

/** What is known of a document from the start on, without reading its body. */
export interface IndexRow {
  readonly kind: string
  readonly orgUid: string
  readonly uid: string
  readonly parentUid: string
  readonly handle: StreamHandle | undefined
  /** What the writer gave as PutDocument.index. */
  readonly index: string
}

/** An ID as a packed row has it. */
export interface PackedId {
  /** Undefined when it is of ASCII only: then it is the bytes of a stretch. */
  readonly text: string | undefined
  readonly bytes: Buffer
  readonly from: number
  readonly until: number
}

/**
 * An index row of a component, or of a stream whose UID is counted from its component's, in numbers and bytes. A start
 * reads millions through one object: it tells what it tells until the call that it is handed to is over.
 */
export interface PackedIndexRow {
  readonly orgUid: string
  /** The four words of the component's UID. */
  readonly headWords: Uint32Array
  /** What the UID has more than the component's; 0 for the component itself. */
  readonly ordinal: number
  /** 0 for a component. */
  readonly handle: number
  /** What the writer gave as PutDocument.index, without the ID that it ends with. */
  readonly indexStart: string
  readonly id: PackedId
}

/** Who takes in what a start reads. */
export interface IndexReceiver {
  onRow(row: IndexRow): void
  /** Takes in, in the place of onRow, what the store has packed. */
  onPacked?(row: PackedIndexRow): void
  /** Told first about how many of a kind there will be, so that room can be made at once. */
  onCount?(kind: string, count: number): void
}

/**
 * Components and streams that cannot be read, as far as it is known which. Each question is about one that was
 * looked for and not found; the answer tells what does not check if that may be among the lost.
 */
export interface LostDocuments {
  /** A component with a claim. */
  ofClaim(orgUid: string, claim: string): string | undefined
  /** A component or stream with a UID, or any stream of a component with it. */
  ofUid(uid: string): string | undefined
  /** Any in an organization. */
  ofOrganization(orgUid: string): string | undefined
}

/**
 * A read rejects with CatalogDamaged when what it would answer does not check; so does a commit that
 * would have to build on it. Everything else is served on.
 */
export interface CatalogStore {
  get(key: DocumentKey): Promise<CatalogDocument | undefined>
  /** The document that holds a claim. */
  findByClaim(orgUid: string, claim: string): Promise<CatalogDocument | undefined>
  list(query: ListQuery): Promise<{ documents: CatalogDocument[]; totalCount: number }>
  /**
   * The next documents of a walk and where it goes on; without `next` it is over. Each document that is
   * there all the while comes once, whatever is written meanwhile, and a step costs what it answers. At most
   * two runs, each in the order of lists; documents that do not check are left out.
   */
  walk(query: WalkQuery): Promise<{ documents: CatalogDocument[]; next?: string }>
  /**
   * Makes all writes or none, durably, in order; rejects with CatalogConflict when one does not
   * hold. On a cluster the all-or-none promise spans one component (a component and the documents
   * whose parent it is); wider commits may stop half way and can be repeated. Resolves with the
   * documents as written, in the order of the puts (of a fleet, its first stream). Given a lease, nothing is written unless the
   * lease is still the newest of its name. Rejects with CatalogLimitReached when it makes more of
   * what a limit counts than the limit allows; whatever leaves less, or as much, is never refused.
   * Commits of one process never pass a limit together; on a cluster they may by what runs at once.
   */
  commit(
    writes: readonly CatalogWrite[],
    lease?: Lease,
    limits?: readonly CatalogLimit[],
  ): Promise<CatalogDocument[]>
  /** What an organization has of every kind; kept with each commit, so asking costs little. */
  usage(orgUid: string): Promise<readonly KindUsage[]>
  /**
   * Hands every document of some kinds that has an index to the receiver, those of a kind after all that
   * may be their parents when the kinds are named in this order. Made for the start of the process: a
   * million rows in about a second, no bodies read. `isWhole` is false when a row is missing or
   * did not check: what was handed out is to be forgotten then, and derived from the documents; what is
   * `lost` cannot be derived either.
   */
  scanIndex(
    kinds: readonly string[],
    receiver: IndexReceiver,
  ): Promise<{ cursor: number; isWhole: boolean; lost?: LostDocuments }>
  /** Hands every document of a kind that checks to `onDocument`; slow, for what an index lost. */
  scanDocuments(kind: string, onDocument: (document: CatalogDocument) => void): Promise<void>
  /** Deletes documents whose expiresAtMs has passed, at most `limit` of them; tells how many. */
  purgeExpired(nowMs: number, limit: number): Promise<number>
  /** Committed changes after a cursor (0: from the oldest kept), in order, of all processes; caches live on it. */
  changesSince(cursor: number, limit: number): Promise<{ changes: CatalogChange[]; cursor: number }>
  /** Takes or renews a lease for ttlMs; undefined while another holder has it. */
  acquireLease(name: string, holder: string, ttlMs: number): Promise<Lease | undefined>
  releaseLease(lease: Lease): Promise<void>
  /**
   * Who holds a lease that is taken for `ttlMs` each time; undefined while nobody does. It may change
   * hands before the answer is read: for those who keep out of a holder's way, not for holders.
   */
  holderOf(name: string, ttlMs: number): Promise<string | undefined>
  close(): Promise<void>
}
