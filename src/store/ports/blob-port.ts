import type { Readable } from 'node:stream'
import type { ScrubPass } from './scrub-port.ts'

/** What is known of a stored body. */
export interface BlobInfo {
  readonly key: string
  readonly bytes: number
  /** SHA-256 of the body in hex. */
  readonly sha256: string
}

/** A stored body that is not what was put: nothing of the place that does not check is handed out. */
export class BlobDamaged extends Error {
  readonly key: string

  constructor(key: string, what: string) {
    super(what)
    this.name = 'BlobDamaged'
    this.key = key
  }
}

/** What a check of one body came to; `what` says which places of a damaged one do not check. */
export type BlobCheck =
  | { readonly outcome: 'whole' | 'missing' | 'stopped' }
  | { readonly outcome: 'damaged'; readonly what: string }

/** File bodies, streamed in and out; a key is chosen by the store and never used twice. */
export interface BlobStore {
  /**
   * Streams a body in. Resolves when it would survive a crash under the key; rejects with nothing
   * kept when the source fails, ends early, or is longer than bytesMax (refusal `body_too_large`).
   * A body that comes from another store keeps the key it had there, in the place of what may be under it.
   */
  put(
    source: AsyncIterable<Uint8Array>,
    options: { readonly bytesMax: number; readonly key?: string },
  ): Promise<BlobInfo>
  /**
   * The bytes start ≤ index < end of a body, or undefined when there is no such body. The checksum of every block is
   * verified before a byte of it is returned. Rejects with BlobDamaged when the first block fails. At a later block the
   * stream fails with it.
   */
  read(
    blob: BlobInfo,
    range: { readonly start: number; readonly end: number },
  ): Promise<Readable | undefined>
  /** Reads a whole body and holds it against its checksums, block by block in the pass's pace. */
  check(blob: BlobInfo, pass: Pick<ScrubPass, 'mayGoOn' | 'onChecked'>): Promise<BlobCheck>
  /** Removes a body; one that is not there is no error. */
  delete(key: string): Promise<void>
  /**
   * Deletes bodies that `isLive` does not know and that are older than an hour (a younger one may
   * belong to an upload whose sample is on its way). Returns the number of removed bodies.
   */
  sweep(isLive: (key: string) => Promise<boolean> | boolean, nowMs: number): Promise<number>
  close(): Promise<void>
}
