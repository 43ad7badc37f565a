import { epochMs, isSampleTime } from '../../../base/index.ts'
import type { Damage, StreamHandle } from '../../sample-port.ts'
import { readRecords } from './record.ts'
import type { ScannedDamage } from './scan.ts'

/** A damage names at most so many streams; a frame may hold a million. */
const HANDLES_MAX = 1_000

/** Tells a damage with what can still be read of it: streams and times may miss or be wrong by a bit. */
export function describeDamage(file: string, damage: ScannedDamage): Damage {
  const handles = new Set<StreamHandle>()
  let from = Number.POSITIVE_INFINITY
  let last = Number.NEGATIVE_INFINITY
  const see = (handle: number, first: number, final: number): void => {
    if (handles.size < HANDLES_MAX) handles.add(handle as StreamHandle)
    if (isSampleTime(first)) from = Math.min(from, first)
    if (isSampleTime(final)) last = Math.max(last, final)
  }
  try {
    readRecords(damage.payload ?? new Uint8Array(0), ({ batch }) => {
      for (let index = 0; index < batch.count; index += 1) {
        see(batch.handles[index], batch.times[index], batch.times[index])
      }
      for (const removal of batch.removals) see(removal.handle, removal.from, removal.until - 1)
    })
  } catch {
    // What the damage left unreadable stays unnamed.
  }
  const isTimed = from <= last
  return {
    ...{ file, offset: damage.offset, bytes: damage.bytes, what: damage.what },
    handles: [...handles],
    from: isTimed ? epochMs(from) : undefined,
    until: isTimed ? epochMs(last + 1) : undefined,
  }
}
