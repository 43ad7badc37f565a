import { basename } from 'node:path'
import type { FoundDamage } from '../damage/found-damage.ts'
import type { Disk } from '../disk/disk.ts'
import { describeDamage } from '../journal/damage.ts'
import { type JournalRecord, readRecords } from '../journal/record.ts'
import { type ScannedDamage, type SegmentScan, scanSegment } from '../journal/scan.ts'
import { applyRecord } from './apply-record.ts'
import { HeadGeneration } from './head-generation.ts'

/** What a segment on disk holds. */
export interface Replay {
  readonly generation: HeadGeneration
  /** The first sequence the segment was meant to hold, or undefined when that is not known. */
  readonly firstSequence: number | undefined
  /** The last sequence that is accounted for, be it as damage; undefined for an unused segment. */
  readonly lastSequence: number | undefined
  readonly damages: readonly FoundDamage[]
  /** What looks like a write that a crash cut off; a loss if it was acknowledged. */
  readonly cutOff: FoundDamage | undefined
}

/** Called with each frame that was read back. */
type FrameListener = (frame: {
  readonly sequence: number
  readonly records: readonly JournalRecord[]
}) => void

/** Reads a segment back into a head generation. */
export function replaySegment(
  disk: Disk,
  path: string,
  segment: number,
  onFrame: FrameListener = () => {},
): Replay {
  const bytes = disk.readWhole(path)
  const scan = scanSegment(bytes)
  const generation = new HeadGeneration(segment)
  const file = basename(path)
  const describe = (found: ScannedDamage): FoundDamage => ({
    damage: describeDamage(file, found),
    bytes: bytes.subarray(found.offset, found.offset + found.bytes),
  })
  const damages = scan.damages.map(describe)
  const cutOff = scan.cutOff === undefined ? undefined : describe(scan.cutOff)
  for (const frame of scan.frames) {
    const records: JournalRecord[] = []
    readRecords(frame.records, (record) => {
      applyRecord(generation, record)
      records.push(record)
    })
    onFrame({ sequence: frame.sequence, records })
  }
  return { generation, damages, cutOff, ...sequencesOf(scan) }
}

/** The sequences that a segment accounts for. */
export function sequencesOf(scan: SegmentScan): Pick<Replay, 'firstSequence' | 'lastSequence'> {
  const last = scan.frames.at(-1)?.sequence
  const lastOffset = scan.frames.at(-1)?.offset ?? 0
  const lostAtEnd = scan.damages.filter((found) => found.offset > lastOffset).length
  const known = last ?? (scan.firstSequence === undefined ? undefined : scan.firstSequence - 1)
  const lastSequence = known === undefined ? undefined : known + lostAtEnd
  const { firstSequence } = scan
  return { firstSequence, lastSequence }
}
