import { epochMs } from '../../../base/plain.ts'
import { ownerOf } from '../../fields/companion.ts'
import type { FoundDamage } from '../damage/found-damage.ts'
import type { ChunkPlace } from './chunk-row.ts'

/** A row whose bytes do not check: it is set aside, never merged and never dropped. */
export interface DamagedRow {
  readonly stream: number
  readonly place: ChunkPlace
  readonly data: Uint8Array
}

/** A row of samples.db that does not check, as a damage. */
export function describeRow({ stream, place, data }: DamagedRow): FoundDamage {
  const isTimed = Number.isSafeInteger(place.start) && Number.isSafeInteger(place.last)
  const damage = {
    file: 'samples.db',
    offset: place.id,
    bytes: data.length,
    handles: [ownerOf(stream)],
    from: isTimed ? epochMs(place.start) : undefined,
    until: isTimed ? epochMs(place.last + 1) : undefined,
    what: `row ${place.id} of table chunk does not check; its ${place.count} samples are missing`,
  }
  return { damage, bytes: data }
}

/** A stream of which rows may be missing, as a damage. */
export function describeSuspect(stream: number, what: string): FoundDamage {
  const damage = {
    file: 'samples.db.chunk_by_start',
    offset: stream,
    bytes: 0,
    handles: [ownerOf(stream)],
    from: undefined,
    until: undefined,
    what: `the list of the rows of stream ${stream} ${what}; samples may be missing`,
  }
  return { damage, bytes: new Uint8Array(0) }
}
