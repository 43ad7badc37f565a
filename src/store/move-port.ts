/**
 * What a store tells and takes beside its port when everything in it is moved to another store. Who moves
 * is alone with both: no service runs on either.
 */
import type { CatalogDocument, DocumentKey } from './catalog-port.ts'
import type { KeptPayload, PayloadKey, RunOutcome } from './payload-port.ts'

/** A document with all that a store keeps of it. */
export interface WholeDocument extends CatalogDocument {
  /** As PutDocument has it. */
  readonly index: string | undefined
  /** As PutDocument has them, or as `storedClaim` makes them, where the store keeps no more; in no order. */
  readonly claims: readonly string[]
}

/** A catalog of which everything can be read; it is written by commits, as ever. */
export interface MovableCatalog {
  /** Every document, some at a time, in no order; rejects with CatalogDamaged at one that does not check. */
  everything(): AsyncIterable<readonly WholeDocument[]>
  /** Documents by their keys, in the order of these; undefined for those that are not there. */
  wholeOf(keys: readonly DocumentKey[]): Promise<(WholeDocument | undefined)[]>
}

/** A payload with all that is kept of it. */
export interface WholePayload extends PayloadKey, KeptPayload {
  /** The runs before its last, the oldest first. */
  readonly earlier: readonly { readonly uid: string; readonly outcome: RunOutcome }[]
}

/** Payloads of connectors that can be read and written whole. */
export interface MovablePayloads {
  /** Every payload that is told of, those of a connector in the order they came; rejects with PayloadDamaged. */
  everything(): AsyncIterable<WholePayload>
  /**
   * Keeps a payload of another store under its UID, in the place of what is kept under it, or under another where the
   * UID is not of the store's form; the order of a connector's payloads stays. Durable when it resolves.
   */
  keepWhole(payload: WholePayload): Promise<void>
}
