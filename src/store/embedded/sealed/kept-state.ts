import { damageOf, FolderDamaged, isDamagedFile } from '../damage/folder-damaged.ts'
import type { FoundDamage } from '../damage/found-damage.ts'
import { sealedStateLost } from '../rows/sealed-state.ts'
import type { ChunkReadTable } from './chunk-read-table.ts'

/** What samples.db keeps beside samples, as a start needs it. */
export interface KeptState {
  /** How far the journal is in here. */
  readonly segment: number
  readonly sequence: number
  readonly damages: readonly FoundDamage[]
}

const TOUCHED_DAMAGE: FoundDamage = {
  damage: {
    file: 'samples.db.touched',
    offset: 0,
    bytes: 0,
    handles: [],
    from: undefined,
    until: undefined,
    what: 'what is kept of touched spans does not check; some may be missing',
  },
  bytes: new Uint8Array(0),
}

/** Reads and checks it; an error when samples.db cannot be gone on with. */
export function readKept(table: ChunkReadTable, file: string): KeptState | Error {
  try {
    return table.inOneView(() => readChecked(table, file))
  } catch (error) {
    if (!isDamagedFile(error)) throw error
    return damageOf(error, file) ?? new FolderDamaged(`${file} does not check`, { cause: error })
  }
}

function readChecked(table: ChunkReadTable, file: string): KeptState | Error {
  const sealed = table.readSealed()
  if (sealed === undefined) return sealedStateLost(file)
  const damages: FoundDamage[] = []
  if (!table.isTouchedWhole()) damages.push(TOUCHED_DAMAGE)
  return { ...sealed, damages }
}
