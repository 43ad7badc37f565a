/** The counts of one kind in one organization, as the writer and the readers of catalog.db ask for them. */

/** Documents, index rows, and bytes of bodies and list keys. */
export interface Tally {
  readonly documents: number
  readonly entries: number
  readonly bytes: number
}

/** What there is of a kind of which there is nothing. */
export const NOTHING: Tally = { documents: 0, entries: 0, bytes: 0 }

/** Both together. */
export function addTallies(a: Tally, b: Tally): Tally {
  return {
    documents: a.documents + b.documents,
    entries: a.entries + b.entries,
    bytes: a.bytes + b.bytes,
  }
}

/** What is kept of the counts, by scope and kind. */
export const TALLY = `SELECT documents, entries, bytes, crc FROM tally WHERE scope = ? AND kind = ?`

/** The counts themselves, by scope and kind: slow, for when what is kept does not check. */
export const COUNTED = `SELECT count(*) AS documents,
  coalesce(sum(octet_length(d.body) + octet_length(d.list_key)), 0) AS bytes,
  (SELECT count(*) FROM entry e WHERE e.kind = ?2 AND e.scope = ?1) AS entries
  FROM document d WHERE d.scope = ?1 AND d.kind = ?2`

/** The counts in a row of TALLY or COUNTED; nothing where there is none. */
export function tallyOf(row: Readonly<Record<string, unknown>> | undefined): Tally {
  if (row === undefined) return NOTHING
  const { documents, entries, bytes } = row as unknown as Tally
  return { documents, entries, bytes }
}

/** What a document counts as in `bytes`. */
export function tallyBytes(listKey: string, body: string): number {
  return Buffer.byteLength(listKey) + Buffer.byteLength(body)
}
