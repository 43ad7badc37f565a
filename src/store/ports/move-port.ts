/**
 * What a store returns and accepts beside its port when everything in it is moved to another store. Who moves
 * is alone with both: no service runs on either.
 */
import type { CatalogDocument } from './catalog-port.ts'
import type { StoredComponent, StoredStream } from './component-port.ts'
import type { DocumentKey } from './document-key.ts'
import type { KeptPayload, PayloadKey, RunOutcome } from './payload-port.ts'

/** A document with all that a store keeps of it. */
interface WholeDocument extends CatalogDocument {
  /** As PutDocument has them, or as `storedClaim` makes them, where the store keeps no more; in no order. */
  readonly claims: readonly string[]
}

/** Whatever a catalog keeps, with all that is kept of it. */
export type WholeRecord = WholeDocument | StoredComponent | StoredStream

/** A catalog of which everything can be read; it is written by commits, as ever. */
export interface MovableCatalog {
  /** Everything, some at a time, components before streams; rejects with CatalogDamaged at what does not check. */
  everything(): AsyncIterable<readonly WholeRecord[]>
  /** What is there under keys, in the order of these; undefined for those that are not there. */
  wholeOf(keys: readonly DocumentKey[]): Promise<(WholeRecord | undefined)[]>
}

/** A payload with all that is kept of it. */
export interface WholePayload extends PayloadKey, KeptPayload {
  /** The runs before its last, the oldest first. */
  readonly earlier: readonly { readonly uid: string; readonly outcome: RunOutcome }[]
}

/** Payloads of connectors that can be read and written whole. */
export interface MovablePayloads {
  /** Every payload that is listed, those of a connector in order of arrival; rejects with PayloadDamaged. */
  everything(): AsyncIterable<WholePayload>
  /**
   * Stores a payload of another store under its UID and replaces an existing one. A UID of another form gets a new one.
   * The order of a connector's payloads is preserved. Durable when it resolves.
   */
  keepWhole(payload: WholePayload): Promise<void>
}
