/**
 * What a commit does, as an entry of the change log keeps it: everything is told as it is afterwards, so that
 * whoever reads the entry can make it so, once or several times. docs/format/cassandra.md has the format.
 */
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'

/** A document as the cluster keeps it. */
export interface KeptDocument {
  readonly org: string
  readonly kind: string
  readonly uid: string
  readonly parent: string
  readonly revision: number
  readonly listKey: string
  readonly expiresAt: number | null
  readonly handle: number
  readonly index: string | null
  readonly claims: readonly string[]
  /** Which partition of the lists of its kind it is in. */
  readonly shard: number
  readonly bytes: number
  /** JSON; not read where only the others are asked for. */
  readonly body: string
}

/** What a document was, as far as rows beside it have to go. */
export type OldDocument = Pick<
  KeptDocument,
  'org' | 'kind' | 'uid' | 'parent' | 'listKey' | 'expiresAt' | 'shard'
>

/** What an organization has of a kind. */
export interface StoredUsage {
  readonly org: string
  readonly kind: string
  readonly documents: number
  readonly entries: number
  readonly bytes: number
  readonly shards: number
}

/** Organization, kind, UID and parent's UID of a document, and 1 when it was deleted. */
export type StoredChange = readonly [string, string, string, string, 0 | 1]

/** All that an entry changes. */
export interface Effects {
  readonly puts: readonly KeptDocument[]
  readonly gone: readonly { readonly org: string; readonly kind: string; readonly uid: string }[]
  /** Rows of lists and of what expires that documents had before. */
  readonly unlisted: readonly OldDocument[]
  readonly claims: readonly {
    readonly org: string
    readonly claim: string
    /** Who holds it; without, nobody does. */
    readonly holder?: { readonly kind: string; readonly uid: string }
  }[]
  readonly usage: readonly StoredUsage[]
  /** Hours in which nothing is left to expire. */
  readonly emptied: readonly number[]
  readonly changes: readonly StoredChange[]
}

/** Effects of nothing. */
export const NO_EFFECTS: Effects = {
  ...{ puts: [], gone: [], unlisted: [], claims: [], usage: [], emptied: [], changes: [] },
}

/** Whether nothing is changed. */
export function isWithoutEffects(effects: Effects): boolean {
  return Object.values(effects).every((list) => (list as readonly unknown[]).length === 0)
}

/** Effects as bytes. */
export function packEffects(effects: Effects): Buffer {
  const text = Buffer.from(JSON.stringify(effects))
  return zstdCompressSync(text, { params: { [constants.ZSTD_c_compressionLevel]: 1 } })
}

/** Effects from their bytes. */
export function unpackEffects(bytes: Uint8Array): Effects {
  return JSON.parse(zstdDecompressSync(bytes).toString()) as Effects
}
