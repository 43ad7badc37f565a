import { EARLIEST_TIME, epochMs, isSampleTime, TIME_END } from '../../../base/plain.ts'
import type { Damage, StreamHandle } from '../../ports/sample-port.ts'
import { type Directory, readDirectory } from './directory.ts'
import { readRecords } from './record.ts'
import type { ScannedDamage } from './scan.ts'

/** Most streams that a damage report names; a frame may hold a million. */
const HANDLES_MAX = 1_000

/** Reports damage with the streams and times that its directory or its records still show. */
export function describeDamage(file: string, damage: ScannedDamage): Damage {
  const about = { file, offset: damage.offset, bytes: damage.bytes, what: damage.what }
  const { frame } = damage
  if (frame === undefined) return { ...about, handles: [], from: undefined, until: undefined }
  const directory = readDirectory(frame.bytes, frame.directoryAt)
  const read = directory?.hasAllHandles ? directory : describeLeniently(frame.bytes)
  const { firstTime, lastTime } = directory ?? read
  const handles = new Set([...(directory?.handles ?? []), ...read.handles])
  const isTimed = firstTime <= lastTime
  return {
    ...about,
    handles: [...handles] as StreamHandle[],
    from: isTimed ? epochMs(Math.max(firstTime, EARLIEST_TIME)) : undefined,
    until: isTimed ? epochMs(Math.min(lastTime + 1, TIME_END)) : undefined,
  }
}

/** What damaged records seem to be about. */
function describeLeniently(bytes: Uint8Array): Directory {
  const handles = new Set<number>()
  let firstTime = Number.POSITIVE_INFINITY
  let lastTime = Number.NEGATIVE_INFINITY
  const see = (handle: number, first: number, last: number): void => {
    if (handles.size < HANDLES_MAX) handles.add(handle)
    if (isSampleTime(first)) firstTime = Math.min(firstTime, first)
    if (isSampleTime(last)) lastTime = Math.max(lastTime, last)
  }
  try {
    readRecords(bytes, ({ batch }) => {
      for (let index = 0; index < batch.count; index += 1) {
        see(batch.handles[index], batch.times[index], batch.times[index])
      }
      for (const removal of batch.removals) see(removal.handle, removal.from, removal.until - 1)
    })
  } catch {
    // What the damage left unreadable stays unnamed.
  }
  return { handles: [...handles], hasAllHandles: true, firstTime, lastTime }
}
