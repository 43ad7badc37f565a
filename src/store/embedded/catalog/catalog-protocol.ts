/** What the main thread and the catalog's writer thread say to each other. */
import type { CatalogLimit, CatalogWrite, Lease, PutDocument } from '../../ports/catalog-port.ts'
import type { CreateComponents, Labels } from '../../ports/component-port.ts'
import type { DocumentKey } from '../../ports/document-key.ts'
import type { SAME } from './component/stream-row.ts'

/** A put whose body is already text, as it is stored. */
export type PutRequest = Omit<PutDocument, 'body'> & { readonly body: string }

/** A creation. A series that is equal to the labels is `=`. */
export type CreateRequest = Omit<CreateComponents, 'series'> & {
  readonly series?: readonly (Labels | typeof SAME | null | undefined)[]
}

export type WriteRequest =
  | Exclude<CatalogWrite, PutDocument | CreateComponents>
  | PutRequest
  | CreateRequest

/** One commit; a big one arrives in parts, so that neither side is held up at once. */
export interface CommitPart {
  readonly type: 'commit'
  readonly id: number
  readonly isLast: boolean
  readonly orders: readonly WriteRequest[]
  readonly lease?: Lease
  readonly limits: readonly CatalogLimit[]
}

/** Requests and replies are sent as JSON, many in one text: a copy of an object tree takes longer. */
export type WriterRequest =
  | CommitPart
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
  | { readonly type: 'reindex'; readonly id: number; readonly tables: readonly string[] }
  | { readonly type: 'close'; readonly id: number }

/** Revision and handle of each put, one after the other; 0 and the first handle of each creation. */
export type Written = readonly number[]

export type WriterResult = Written | number | Lease | undefined

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
  /** The folder cannot be used. Sent instead of readiness. */
  readonly refusal?: string
  /** A failure of the disk or the database; `errcode` is SQLite's. */
  readonly failure?: { readonly message: string; readonly errcode: number | undefined }
}
