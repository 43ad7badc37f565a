import type {
  ComponentReads,
  CreateComponents,
  PutComponent,
  PutStream,
  StoredComponent,
  StoredStream,
} from './component-port.ts'
import type { DocumentKey, JsonObject } from './document-key.ts'
import type { StreamHandle } from './sample-port.ts'

/**
 * What the catalog keeps beside components and streams: a JSON object whose shape belongs to the part that owns its
 * kind.
 */
export interface CatalogDocument extends DocumentKey {
  /** The document this one lives in, '' when none. */
  readonly parentUid: string
  /** 1 when inserted, one more with each update. */
  readonly revision: number
  /** Lists come in the order of this key, then of the UID. Folders are prefixes of it. */
  readonly listKey: string
  /** When the document may be purged (tokens, sessions), or undefined: never by itself. */
  readonly expiresAtMs: number | undefined
  readonly body: JsonObject
}

/** Whatever the catalog keeps. */
export type CatalogRecord = CatalogDocument | StoredComponent | StoredStream

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
 * Writes nothing: the commit is made only if the document is as given, in its turn among the writes. So
 * a commit that begins to refer to a document cannot pass one that deletes it.
 */
interface ExpectDocument extends DocumentKey {
  readonly op: 'expect'
  /** The revision it must have; 0: it must not exist; 'any': it must exist. */
  readonly expectedRevision: number | 'any'
}

export type CatalogWrite =
  | PutDocument
  | PutComponent
  | PutStream
  | CreateComponents
  | DeleteDocument
  | ExpectDocument

/** What a commit has made. */
export interface Committed {
  /** What was put, as written, in the order of the puts; created components are left out. */
  readonly records: readonly CatalogRecord[]
  /** Of each creation the handle of its first stream; those of the others count on from it. */
  readonly firstHandles: readonly StreamHandle[]
}

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

/** Part of the catalog is damaged. Thrown instead of returning a value that may be wrong. */
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

/** A step of a walk over all documents of a kind. */
export interface WalkQuery {
  readonly orgUid: string
  readonly kind: string
  /** Where the step before has ended; undefined: at the first. */
  readonly after?: string
  readonly limit: number
  /** Walks down instead, from the greatest list key before `until` to the least from `from` on. */
  readonly down?: { readonly from: string; readonly until: string }
}

/** A change of a document, component or stream. */
export interface CatalogChange extends DocumentKey {
  readonly cursor: number
  /** Of a stream that of its component. */
  readonly parentUid: string
  /** Of a component that was created: how many streams came with it. They have no changes of their own. */
  readonly streamCount?: number
  readonly isDeleted: boolean
  /** Whether this store made it and confirmed it to its caller: then its memory is current. */
  readonly isOwn?: true
}

/** A document that a commit has written, or only looked at, as caches receive it. */
export interface WrittenKey extends DocumentKey {
  /** Unknown of a commit that another process made: then it was written. */
  readonly op?: CatalogWrite['op']
  /** The document that it lies below; unknown of a deletion. */
  readonly parentUid?: string
}

/** A right to do something that must happen once in a cluster; the fence rises with every holder. */
export interface Lease {
  readonly name: string
  readonly holder: string
  readonly fence: number
}

/**
 * A read rejects with CatalogDamaged when what it would answer does not check; so does a commit that
 * would have to build on it. Everything else is served on.
 */
export interface CatalogStore {
  /** Components and streams; the other reads are of documents. */
  readonly components: ComponentReads
  get(key: DocumentKey): Promise<CatalogDocument | undefined>
  /** The document that holds a claim. */
  findByClaim(orgUid: string, claim: string): Promise<CatalogDocument | undefined>
  list(query: ListQuery): Promise<{ documents: CatalogDocument[]; totalCount: number }>
  /**
   * The next documents of a walk and where it goes on; without `next` it is over. Each document that is
   * there all the while comes once, whatever is written meanwhile, and a step costs what it answers. Documents come
   * in the order of lists; those that do not check are left out.
   */
  walk(query: WalkQuery): Promise<{ documents: CatalogDocument[]; next?: string }>
  /**
   * Makes all writes or none, durably, in order; rejects with CatalogConflict when one does not
   * hold. Given a lease, nothing is written unless the lease is still the newest of its name. Rejects with CatalogLimitReached when it makes more of
   * what a limit counts than the limit allows; whatever leaves less, or as much, is never refused.
   * Commits never pass a limit together.
   */
  commit(
    writes: readonly CatalogWrite[],
    lease?: Lease,
    limits?: readonly CatalogLimit[],
  ): Promise<Committed>
  /** What an organization has of every kind; kept with each commit, so asking costs little. */
  usage(orgUid: string): Promise<readonly KindUsage[]>
  /** Deletes documents whose expiresAtMs has passed, at most `limit` of them; returns their number. */
  purgeExpired(nowMs: number, limit: number): Promise<number>
  /** Committed changes after a cursor (0: from the oldest kept), in order, of all processes; caches live on it. */
  changesSince(cursor: number, limit: number): Promise<{ changes: CatalogChange[]; cursor: number }>
  /** The cursor after all changes that are committed: what is committed after the call has greater ones. */
  lastCursor(): Promise<number>
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
