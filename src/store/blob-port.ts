import type { Readable } from 'node:stream'

/** What is known of a stored body. */
export interface BlobInfo {
  readonly key: string
  readonly bytes: number
  /** SHA-256 of the body in hex. */
  readonly sha256: string
}

/** File bodies, streamed in and out; a key is chosen by the store and never used twice. */
export interface BlobStore {
  /**
   * Streams a body in. Resolves when it would survive a crash under the key; rejects with nothing
   * kept when the source fails, ends early, or is longer than bytesMax (refusal `body_too_large`).
   */
  put(source: AsyncIterable<Uint8Array>, options: { readonly bytesMax: number }): Promise<BlobInfo>
  /** The bytes start ≤ index < end of a body, or undefined when there is no such body. */
  read(
    key: string,
    range: { readonly start: number; readonly end: number },
  ): Promise<Readable | undefined>
  /** Removes a body; one that is not there is no error. */
  delete(key: string): Promise<void>
  /**
   * Deletes bodies that `isLive` does not know and that are older than an hour (a younger one may
   * belong to an upload whose sample is on its way). Tells how many went.
   */
  sweep(isLive: (key: string) => Promise<boolean> | boolean, nowMs: number): Promise<number>
  close(): Promise<void>
}
