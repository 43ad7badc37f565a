/** What the main thread and the catalog's writer thread say to each other. */
import type { CatalogLimit, DocumentKey, Lease, PutDocument } from '../../catalog-port.ts'
import type { Shaped } from './family/shape.ts'

/** A put whose body is already text: one string crosses the threads cheaper than a tree. */
export type PutOrder = Omit<PutDocument, 'body'> & { readonly body: string }
type BareOrder<Op> = DocumentKey & {
  readonly op: Op
  readonly expectedRevision: number | 'any'
}
/** A put of a head or member of a family, taken apart. */
export interface PackedOrder extends DocumentKey {
  readonly op: 'put'
  readonly parentUid: string
  readonly expectedRevision: number | 'any'
  readonly mayUseReserve: boolean
  readonly revision?: number
  readonly packed: Shaped
}
export type AnyPut = PutOrder | PackedOrder
export type WriteOrder = AnyPut | BareOrder<'delete'> | BareOrder<'expect'>

/** Orders flattened by a PartWriter. */
export interface PackedPart {
  readonly values: readonly unknown[]
  /** Shapes that the part is the first to name, with their numbers before them. */
  readonly shapes: readonly (number | string)[]
  /** Whether all numbers of before are over. */
  readonly isFresh: boolean
}

/** One commit; a big one arrives in parts, so that neither side is held up at once. */
export interface CommitPart {
  readonly type: 'commit'
  readonly id: number
  readonly isLast: boolean
  readonly orders: PackedPart
  readonly lease: Lease | undefined
  readonly limits: readonly CatalogLimit[]
}

/** A fleet with the shapes of its patterns. */
export interface Fleet {
  readonly orgUid: string
  readonly firstNumber: number
  readonly tails: string
  /** The IDs of each component and its streams, one after the other. */
  readonly ids: string
  /** Of each component the length of its ID and how many streams it has, then of each of these length and pattern. */
  readonly layout: Uint32Array
  /** The head's first. */
  readonly patterns: readonly Pick<Shaped, 'shape' | 'numbers'>[]
}

/** What is sent of a fleet, one after the other: with one device a call, the names of fields would be most of it. */
export type PackedFleet = readonly [
  ...[orgUid: string, firstNumber: number, tails: string, ids: string, layout: Uint32Array],
  /** Of each pattern the number of its shape on its way, how many numbers of its own it has, and these. */
  patterns: readonly number[],
  /** Shapes that it is the first to name, with their numbers before them. */
  shapes: readonly (number | string)[],
  isFresh: boolean,
]

/** A fleet, which is a commit by itself. */
export interface FleetRequest {
  readonly type: 'fleet'
  readonly id: number
  readonly fleet: PackedFleet
  readonly lease: Lease | undefined
  /** JSON: the same with every fleet of an organization. */
  readonly limits: string
}

export type WriterRequest =
  | CommitPart
  | FleetRequest
  | { readonly type: 'purge'; readonly id: number; readonly nowMs: number; readonly limit: number }
  | {
      readonly type: 'acquire'
      readonly id: number
      readonly name: string
      readonly holder: string
      readonly nowMs: number
      readonly ttlMs: number
    }
  | { readonly type: 'release'; readonly id: number; readonly lease: Lease }
  | { readonly type: 'reindex'; readonly id: number }
  | { readonly type: 'close'; readonly id: number }

/** What a put became: its revision, and its handle when it is a stream. */
export interface Written {
  readonly revision: number
  readonly handle: number | undefined
}

/** Revision and handle of each put, one after the other; 0 for no handle. */
export type PackedWritten = Float64Array

export type WriterResult = PackedWritten | number | Lease | undefined

interface WriterConflict {
  readonly key: DocumentKey
  readonly claim: string | undefined
}

export interface WriterReply {
  readonly id: number
  readonly result?: WriterResult
  readonly conflict?: WriterConflict
  /** The limit that the commit would have passed. */
  readonly reached?: CatalogLimit
  /** What does not check, and was not built upon. */
  readonly damage?: string
  /** The folder cannot be used; told instead of readiness. */
  readonly refusal?: string
  /** A failure of the disk or the database; `errcode` is SQLite's. */
  readonly failure?: { readonly message: string; readonly errcode: number | undefined }
}
