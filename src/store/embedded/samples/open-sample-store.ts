import { join } from 'node:path'
import type { Damage } from '../../ports/sample-port.ts'
import type { FoundDamage } from '../damage/found-damage.ts'
import { ProgressSlotFile, readProgress } from '../damage/progress-file.ts'
import { Quarantine } from '../damage/quarantine.ts'
import type { Disk } from '../disk/disk.ts'
import { Head } from '../head/head.ts'
import { type Replay, replaySegment } from '../head/replay.ts'
import { type DurableGroup, Journal } from '../journal/journal.ts'
import { segmentName, segmentNumberOf } from '../journal/segment.ts'
import { Sealer } from '../seal/sealer.ts'
import { CheckedRows } from '../sealed/checked-rows.ts'
import { ChunkReadTable } from '../sealed/chunk-read-table.ts'
import { type KeptState, readKept } from '../sealed/kept-state.ts'
import { SealedSamples } from '../sealed/sealed-samples.ts'
import { FoldCache } from './fold-cache.ts'
import type { FollowedStreams } from './followed-streams.ts'
import { EmbeddedSampleStore } from './sample-store.ts'
import { type StoreMachine, threadedMachine } from './store-machine.ts'
import { TouchedLog } from './touched-log.ts'

/** A segment holds some 1.6 million samples: few enough to replay and to keep in memory. */
const SEGMENT_BYTES_DEFAULT = 32 * 1024 * 1024

/** Closed segments that may wait for the sealer: bounds memory and the time a restart takes. */
const BACKLOG_MAX = 3

const ROOM_RETRY_MS_DEFAULT = 1_000

/** Where the samples live and how. */
interface SampleStoreOptions {
  /** The data folder; made when missing. */
  readonly folder: string
  /** Length of a journal segment. */
  readonly segmentBytes?: number
  /** Closed segments that may wait for the sealer; each is in memory until it is sealed. */
  readonly backlogMax?: number
  /** How long to wait before asking a full disk for room again. */
  readonly roomRetryMs?: number
  /**
   * Whether sealing begins with the first call of watch(): samples put before a kill are then reported for streams
   * that nobody had the time to keep as watched.
   */
  readonly isSealedWhenWatched?: boolean
  /** Called with all damage that is found, at the start and later. */
  readonly onDamage?: (damage: Damage) => void
  /** Called with the reason why sealing cannot go on, once per reason. */
  readonly onStuck?: (reason: string) => void
  /** Faults of the disk, for tests. */
  readonly faults?: SharedArrayBuffer
  /** What the store runs on instead of this machine, for tests that cut its power. */
  readonly machine?: StoreMachine
}

/** Opens the samples of a data folder; what a crash left in the journal is read back first. */
export async function openSampleStore(options: SampleStoreOptions): Promise<EmbeddedSampleStore> {
  const { roomRetryMs = ROOM_RETRY_MS_DEFAULT } = options
  const machine = options.machine ?? threadedMachine(options.faults)
  const { disk } = machine
  const folder = join(options.folder, 'journal')
  disk.makeFolder(folder)
  const quarantine = new Quarantine(disk, join(options.folder, 'quarantine'), options.onDamage)
  const file = join(options.folder, 'samples.db')
  const begun = new ProgressSlotFile(options.folder, 'begunSegment')
  const ended = new ProgressSlotFile(options.folder, 'sealedSegment')
  const acknowledged = readProgress(options.folder).journalSequence
  const durable = new ProgressSlotFile(options.folder, 'journalSequence')
  const sealer = makeSealer({ ...options, machine, roomRetryMs }, quarantine, (segment) => {
    head.dropGeneration(segment)
    ended.note(segment)
  })
  const head = new Head((generation) =>
    sealer.enqueue(generation, { mayWait: journal.isShort(generation.segment) }),
  )
  await sealer.ready()
  const table = new ChunkReadTable(file)
  const kept = readKept(table, file)
  if (kept instanceof Error) {
    await sealer.close()
    table.close()
    throw kept
  }
  for (const damage of kept.damages) quarantine.add(damage)
  const rows = new CheckedRows(table, (damage) => quarantine.add(damage))
  const sealed = new SealedSamples(rows)
  const touched = new TouchedLog(table, kept.sequence)
  const replayed = replayJournal({ disk, folder, head, quarantine, kept, touched, acknowledged })
  const [folds, follows] = [new FoldCache(), new Set<FollowedStreams>()]
  const journal = new Journal({
    folder,
    disk,
    roomRetryMs,
    startWriter: (events) => machine.startJournal(events),
    nextSegment: replayed.nextSegment,
    nextSequence: replayed.nextSequence,
    segmentBytes: options.segmentBytes ?? SEGMENT_BYTES_DEFAULT,
    onDurable: (group) => {
      begun.note(group.segment)
      durable.note(group.sequence)
      return applyDurable(group, { head, folds, touched, follows })
    },
  })
  // Only when everything is replayed, so that sealing does not hold the start up.
  sealer.sealFirst(head.generations, { isHeld: options.isSealedWhenWatched === true })
  const backlogMax = Math.max(options.backlogMax ?? BACKLOG_MAX, head.generations.length)
  return new EmbeddedSampleStore({
    head,
    journal,
    quarantine,
    sealer,
    table,
    rows,
    sealed,
    touched,
    folds,
    backlogMax,
    follows,
    file,
    journalFolder: folder,
    progress: [begun, ended, durable],
  })
}

function makeSealer(
  options: SampleStoreOptions & { readonly machine: StoreMachine; readonly roomRetryMs: number },
  quarantine: Quarantine,
  onSealed: (segment: number) => void,
): Sealer {
  const { folder, machine, roomRetryMs, backlogMax = BACKLOG_MAX, onStuck = () => {} } = options
  const place = { file: join(folder, 'samples.db'), journalFolder: join(folder, 'journal') }
  return new Sealer({
    roomRetryMs,
    onBug,
    onStuck,
    // Half of those that may wait: puts fill the others meanwhile.
    togetherMax: Math.ceil((backlogMax + 1) / 2),
    start: (events) => machine.startSealer(place, events),
    onUnsealable: (damage) => quarantine.add(damage),
    onSealed(segments, damages) {
      for (const damage of damages) quarantine.add(damage)
      for (const segment of segments) onSealed(segment)
    },
  })
}

/** Makes durable samples readable, then notifies followers. */
function applyDurable(
  group: DurableGroup,
  parts: { head: Head; folds: FoldCache; touched: TouchedLog; follows: Set<FollowedStreams> },
): Promise<void> | undefined {
  const { head, folds, touched, follows } = parts
  const report = (): void => {
    folds.touchRecords(group.records)
    touched.note(group)
    for (const followed of follows) followed.note(group.records)
  }
  return head.apply(group, report)
}

/** Stops the process: writing on after a bug could spoil what is stored. */
function onBug(error: unknown): void {
  process.nextTick(() => {
    throw error
  })
}

function replayJournal(parts: {
  disk: Disk
  folder: string
  head: Head
  quarantine: Quarantine
  kept: KeptState
  touched: TouchedLog
  /** The sequence of the last frame that is known to have been acknowledged. */
  acknowledged: number
}): { nextSegment: number; nextSequence: number } {
  const { disk, folder, head, quarantine, touched } = parts
  const sealedSegment = parts.kept.segment
  let nextSegment = sealedSegment + 1
  let nextSequence = parts.kept.sequence + 1
  let cutOff: FoundDamage | undefined
  for (const name of disk.list(folder)) {
    const segment = segmentNumberOf(name)
    if (segment === undefined) continue
    const path = join(folder, segmentName(segment))
    if (segment <= sealedSegment) {
      // A crash came between the seal and this.
      disk.unlink(path)
      continue
    }
    // A process that was killed leaves frames that are not durable; once read, they must be.
    disk.syncWhole(path)
    const replay = replaySegment(disk, path, segment, (frame) => touched.note(frame))
    nextSegment = segment + 1
    for (const damage of replay.damages) quarantine.add(damage)
    if (replay.lastSequence === undefined && replay.damages.length === 0) {
      disk.unlink(path)
      continue
    }
    const lost = lostBefore(name, replay, nextSequence)
    if (lost !== undefined) quarantine.add(lost)
    head.addReplayed(replay.generation)
    touched.noteReplayed(replay.generation, replay.lastSequence ?? nextSequence)
    nextSequence = Math.max(nextSequence, (replay.lastSequence ?? 0) + 1)
    cutOff = replay.cutOff
  }
  const { acknowledged } = parts
  if (acknowledged < nextSequence) return { nextSegment, nextSequence }
  quarantine.add(lostAtEnd(cutOff, { segment: nextSegment, nextSequence, acknowledged }))
  // Cursors beyond the lost frames are known to others already.
  return { nextSegment, nextSequence: acknowledged + 1 }
}

/** Frames that were acknowledged and that the journal does not hold any more. */
function lostAtEnd(
  cutOff: FoundDamage | undefined,
  at: { segment: number; nextSequence: number; acknowledged: number },
): FoundDamage {
  const what = `frames ${at.nextSequence} to ${at.acknowledged} were acknowledged and are missing`
  if (cutOff === undefined) return missing(segmentName(at.segment), what)
  return { ...cutOff, damage: { ...cutOff.damage, what: `${what}: ${cutOff.damage.what}` } }
}

/** Frames that should lie between two segments and do not: a segment is missing or was cut. */
function lostBefore(file: string, replay: Replay, nextSequence: number) {
  const { firstSequence } = replay
  if (firstSequence === undefined || firstSequence <= nextSequence) return undefined
  return missing(
    file,
    `frames ${nextSequence} to ${firstSequence - 1} before this segment are missing`,
  )
}

function missing(file: string, what: string): FoundDamage {
  const nowhere = { offset: 0, bytes: 0, handles: [], from: undefined, until: undefined }
  return { damage: { file, ...nowhere, what }, bytes: new Uint8Array(0) }
}
