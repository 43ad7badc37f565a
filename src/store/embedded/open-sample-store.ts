import { join } from 'node:path'
import type { StreamHandle } from '../sample-port.ts'
import type { Disk } from './disk/disk.ts'
import { openDisk } from './disk/faulty-disk.ts'
import { Head } from './head/head.ts'
import { Journal } from './journal/journal.ts'
import { segmentName, segmentNumberOf } from './journal/segment.ts'
import { Quarantine } from './quarantine.ts'
import { type Replay, replaySegment } from './replay.ts'
import { EmbeddedSampleStore } from './sample-store.ts'

/** A segment holds some 1.6 million samples: few enough to replay and to keep in memory. */
const SEGMENT_BYTES_DEFAULT = 32 * 1024 * 1024

/** Where the samples live and how. */
export interface SampleStoreOptions {
  /** The data folder; made when missing. */
  readonly folder: string
  /** Length of a journal segment. */
  readonly segmentBytes?: number
  /** Faults of the disk, for tests. */
  readonly faults?: SharedArrayBuffer
}

/** Opens the samples of a data folder; what a crash left in the journal is read back first. */
export async function openSampleStore(options: SampleStoreOptions): Promise<EmbeddedSampleStore> {
  const disk = openDisk(options.faults)
  const folder = join(options.folder, 'journal')
  disk.makeFolder(folder)
  const quarantine = new Quarantine(disk, join(options.folder, 'quarantine'))
  const head = new Head()
  const replayed = replayJournal({ disk, folder, head, quarantine })
  const journal = new Journal({
    ...{ folder, disk, faults: options.faults },
    ...{ nextSegment: replayed.nextSegment, nextSequence: replayed.nextSequence },
    segmentBytes: options.segmentBytes ?? SEGMENT_BYTES_DEFAULT,
    onDurable: (group) => head.apply(group),
  })
  return new EmbeddedSampleStore({ head, journal, quarantine })
}

function replayJournal(parts: { disk: Disk; folder: string; head: Head; quarantine: Quarantine }): {
  nextSegment: number
  nextSequence: number
} {
  const { disk, folder, head, quarantine } = parts
  let nextSegment = 1
  let nextSequence = 1
  for (const name of disk.list(folder)) {
    const segment = segmentNumberOf(name)
    if (segment === undefined) continue
    const path = join(folder, segmentName(segment))
    const replay = replaySegment(disk, path, segment)
    nextSegment = segment + 1
    for (const damage of replay.damages) quarantine.add(damage)
    if (replay.lastSequence === undefined && replay.damages.length === 0) {
      disk.unlink(path)
      continue
    }
    const lost = lostBefore(name, replay, nextSequence)
    if (lost !== undefined) quarantine.add(lost)
    head.addGeneration(replay.generation)
    nextSequence = Math.max(nextSequence, (replay.lastSequence ?? 0) + 1)
  }
  return { nextSegment, nextSequence }
}

/** Frames that should lie between two segments and do not: a segment is missing or was cut. */
function lostBefore(file: string, replay: Replay, nextSequence: number) {
  const { firstSequence } = replay
  if (firstSequence === undefined || firstSequence <= nextSequence) return undefined
  const none: StreamHandle[] = []
  const what = `frames ${nextSequence} to ${firstSequence - 1} before this segment are missing`
  const damage = {
    file,
    offset: 0,
    bytes: 0,
    handles: none,
    from: undefined,
    until: undefined,
    what,
  }
  return { damage, bytes: new Uint8Array(0) }
}
