/** How much of the journal is in samples.db; docs/format/samples-db.md. */
import type { DatabaseSync } from 'node:sqlite'
import { FolderDamaged } from '../damage/folder-damaged.ts'
import { SEALED_CHECK, SEALED_SEGMENT, SEALED_SEQUENCE } from './meta-names.ts'
import { sealedSum } from './row-sum.ts'

/** The last segment and frame of the journal that are sealed; 0 before the first. */
export interface SealedState {
  readonly segment: number
  readonly sequence: number
}

const NOTHING_SEALED: SealedState = { segment: 0, sequence: 0 }

/** Reads the sealed state; undefined when it does not check. */
export function readSealed(db: DatabaseSync): SealedState | undefined {
  const read = db.prepare('SELECT value FROM meta WHERE name = ?')
  const [segment, sequence, check] = [SEALED_SEGMENT, SEALED_SEQUENCE, SEALED_CHECK].map(
    (name) => (read.get(name) as { value: number } | undefined)?.value,
  )
  if (segment !== undefined && sequence !== undefined) {
    return check === sealedSum(segment, sequence) ? { segment, sequence } : undefined
  }
  // Some versions upgraded a folder that had nothing sealed with a check and no state.
  const isFresh = check === undefined || check === sealedSum(0, 0)
  if (segment !== undefined || sequence !== undefined || !isFresh) return undefined
  const hasRows = db.prepare('SELECT 1 FROM chunk LIMIT 1').get() !== undefined
  return hasRows ? undefined : NOTHING_SEALED
}

/** The refusal of a samples.db whose sealed state does not check: journal segments could be deleted by mistake. */
export function sealedStateLost(file: string): FolderDamaged {
  return new FolderDamaged(
    `${file} does not tell how far the journal is in it: restore the data folder from a backup`,
  )
}
