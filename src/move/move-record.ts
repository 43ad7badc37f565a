/** The record of a move, which its target keeps: where the data come from, and how far they are. */
import { refuse } from '../base/index.ts'
import type { CatalogStore, CatalogWrite, DocumentKey, JsonObject } from '../store/index.ts'

/** Where the record is. */
export const MOVE_KEY: DocumentKey = { orgUid: '', kind: 'move', uid: 'move' }

/** How far samples are, by the handles of the source: these are copied in their order. */
export interface MoveProgress {
  /** All streams up to this handle are copied. */
  readonly through: number
  /** Of others, up to which time they are, by the text of their handle. */
  readonly reached: Readonly<Record<string, number>>
}

/** A move as its target remembers it. */
export interface MoveRecord extends MoveProgress {
  readonly source: string
  readonly sourceName: string
  readonly isDone: boolean
}

/** A move of which nothing is done. */
export const NO_PROGRESS: MoveProgress = { through: 0, reached: {} }

/** The move that a catalog is, or was, the target of. */
export async function readMove(
  catalog: Pick<CatalogStore, 'get'>,
): Promise<MoveRecord | undefined> {
  return (await catalog.get(MOVE_KEY))?.body as MoveRecord | undefined
}

/** What keeps the record of a move. */
export function moveWrite(record: MoveRecord, expectedRevision: 0 | 'any' = 'any'): CatalogWrite {
  return { op: 'put', ...MOVE_KEY, body: { ...record } as unknown as JsonObject, expectedRevision }
}

/** Refuses data that are there in part only, as their move was broken off. */
export async function refuseUnfinishedMove(catalog: Pick<CatalogStore, 'get'>): Promise<void> {
  const record = await readMove(catalog)
  if (record === undefined || record.isDone) return
  refuse('conflict', {
    what:
      `The move from ${record.sourceName} to here is incomplete. Run the same ` +
      '"weir move" command again to continue',
  })
}
