/** How records of the catalog are named, and what a document holds. */

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
