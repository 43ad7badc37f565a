import { DurationCounts, invariant, refusal, systemClock } from '../../../base/index.ts'
import { type KeptRoom, NO_ROOM } from '../../ports/sample-port.ts'
import { type Disk, passingReason } from '../disk/disk.ts'
import { DiskSpace } from '../disk/disk-space.ts'
import { DIRECTORY_BYTES } from './directory.ts'
import { frameBytes } from './frame.ts'
import { FrameBuffer, type PendingRecord } from './frame-buffer.ts'
import { JournalEnd } from './journal-end.ts'
import { type JournalFigures, SYNC_BOUNDS_S } from './journal-figures.ts'
import type { JournalEvents, JournalLink } from './journal-link.ts'
import type { JournalReply } from './journal-protocol.ts'
import { JournalRoom } from './kept-room.ts'
import { sortLetIn } from './let-in.ts'
import { type JournalRecord, onlyRemoves, type SizedRecord } from './record.ts'
import { SegmentSupply } from './segment-supply.ts'

/** Records that wait for the disk: beyond this an append waits until some are written. */
const WAITING_BYTES_MAX = 64 * 1024 * 1024

/** How often room is made for a record that comes later, while others take it. */
const KEEP_TRIES_MAX = 16

/** A record that is worth a frame of its own. */
const LONG_RECORD_BYTES = 4_096

/** Records that became durable together, in journal order. */
export interface DurableGroup {
  readonly segment: number
  readonly sequence: number
  readonly records: readonly JournalRecord[]
}

interface JournalOptions {
  readonly folder: string
  readonly disk: Disk
  startWriter(events: JournalEvents): JournalLink
  readonly segmentBytes: number
  readonly nextSegment: number
  readonly nextSequence: number
  /** How long to wait before a next segment is asked for again, on a full disk or the like. */
  readonly roomRetryMs: number
  /** Called in journal order; the records' appends settle with what this returns. */
  onDurable(group: DurableGroup): Promise<void> | undefined
}

/**
 * The main thread's end of the journal. Records that arrive while a sync runs share the next frame
 * and its sync. A failed write or sync is never tried again: from then on every append is refused.
 */
export class Journal {
  readonly #options: JournalOptions
  readonly #supply: SegmentSupply
  readonly #end: JournalEnd
  readonly #space: DiskSpace
  readonly #writer: JournalLink
  #filling = new FrameBuffer(0)
  #writing = new FrameBuffer(1)
  /** The memory of each frame buffer as the thread knows it. */
  readonly #givenMemory: Array<SharedArrayBuffer | undefined> = []
  #overflow: PendingRecord[] = []
  #isBusy = false
  /** Busy with nothing but waiting for the end of a turn. */
  #isIterationAwaited = false
  #sequence: number
  /** Where the last durable frame ends. */
  #durableSegment: number
  #durableBytes: number | undefined
  #failedReason: string | undefined
  #passingReason: string | undefined
  #isClosing = false
  #onIdle: (() => void) | undefined
  #waitingBytes = 0
  #requestedAtMs = 0
  readonly #counts = { samples: 0, puts: 0, frames: 0, bytes: 0 }
  readonly #syncs = new DurationCounts(SYNC_BOUNDS_S)
  #onRoom: Array<() => void> = []

  constructor(options: JournalOptions) {
    this.#options = options
    this.#sequence = options.nextSequence
    this.#durableSegment = options.nextSegment - 1
    this.#supply = new SegmentSupply({ ...options, nextNumber: options.nextSegment })
    this.#end = new JournalEnd(this.#supply)
    this.#space = new DiskSpace({ ...options, clock: systemClock })
    this.#writer = options.startWriter({
      onReply: (reply) => this.#onReply(reply),
      onDied: (error) => this.#failWriter(`the journal thread died: ${String(error)}`),
    })
    this.#prepareAhead()
  }

  /** Why appends are refused, or undefined while they are taken. */
  get readOnlyReason(): string | undefined {
    return this.#failedReason ?? this.#passingReason
  }

  /** The sequence of the last frame that was handed to the disk. */
  get lastSequence(): number {
    return this.#sequence - 1
  }

  /** What was made durable since the start, and what waits. */
  get figures(): JournalFigures {
    return { ...this.#counts, waitingBytes: this.#waitingBytes, syncs: this.#syncs }
  }

  /** Whether a segment is one of the short ones that a start begins with. */
  readonly isShort = (segment: number): boolean => segment <= this.#supply.lastShort

  /** Where what is durable ends: in the segment, undefined: at its end. */
  get durableEnd(): { readonly segment: number; readonly bytes: number | undefined } {
    return { segment: this.#durableSegment, bytes: this.#durableBytes }
  }

  /** Reserves room for a later record of `bytes` bytes; rejects where there is none. */
  keepRoom(bytes: number): KeptRoom | Promise<KeptRoom> {
    const reason = this.readOnlyReason
    if (reason !== undefined) return Promise.reject(this.#refusal(reason))
    const needed = frameBytes(bytes + DIRECTORY_BYTES)
    if (!this.#space.isPlenty) return this.#keepCounted(needed)
    const lacking = this.#end.lackingFor(needed + this.#waitingBytes)
    return lacking === undefined ? NO_ROOM : this.#provide(lacking).then(() => NO_ROOM)
  }

  /** Counts what others keep: calls at the same time must not all get the same last room. */
  async #keepCounted(bytes: number): Promise<KeptRoom> {
    const { rooms } = this.#end
    for (let tries = 0; tries < KEEP_TRIES_MAX; tries++) {
      const lacking = this.#end.lackingFor(rooms.bytes + bytes + this.#waitingBytes)
      if (lacking === undefined) return rooms.keep(bytes)
      // What is made ready here others may have kept or begun before it is seen.
      await this.#provide(lacking)
    }
    throw this.#refusal('the disk is nearly full')
  }

  /** Makes the next segment so long; refuses like an append where the disk does not. */
  async #provide(bytes: number): Promise<void> {
    try {
      await this.#supply.prepare(bytes)
    } catch (error) {
      this.#noteFailedPrepare(error as Error)
      throw this.#refusal(this.readOnlyReason ?? (error as Error).message)
    }
  }

  /** Resolves once the record would survive a crash and onDurable has seen it. */
  append(record: SizedRecord, room?: KeptRoom): Promise<void> {
    const kept = room instanceof JournalRoom && room.isKept ? room : undefined
    return this.#waitingBytes > WAITING_BYTES_MAX
      ? this.appendMade(() => record, kept)
      : this.#enqueue(record, kept)
  }

  /** As append, of a record that is made when it takes its place among the others. */
  async appendMade(make: () => SizedRecord, room?: JournalRoom): Promise<void> {
    while (this.#waitingBytes > WAITING_BYTES_MAX) {
      await new Promise<void>((resolve) => this.#onRoom.push(resolve))
    }
    await this.#enqueue(make(), room)
  }

  #enqueue(record: SizedRecord, room: JournalRoom | undefined): Promise<void> {
    const reason = this.#isClosing ? 'The store is closing' : this.#reasonAgainst({ record, room })
    if (reason !== undefined) return Promise.reject(this.#refusal(reason))
    return new Promise((resolve, reject) => {
      const entry = { record, room, resolve, reject }
      this.#waitingBytes += record.bytes
      if (!this.#isBusy && !this.#filling.fits(record)) this.#swapBuffers()
      if (this.#overflow.length > 0 || !this.#filling.tryAdd(entry)) this.#overflow.push(entry)
      if (this.#isBusy) return
      if (record.bytes >= LONG_RECORD_BYTES) this.#pump()
      else this.#pumpAfterIteration()
    })
  }

  /** A frame costs more than a short record: other records of this iteration share it. */
  #pumpAfterIteration(): void {
    this.#isBusy = true
    this.#isIterationAwaited = true
    setImmediate(() => {
      // Whatever waited may have been refused meanwhile, and others may have begun.
      if (!this.#isIterationAwaited) return
      this.#isIterationAwaited = false
      this.#pump()
    })
  }

  #reasonAgainst(entry: Pick<PendingRecord, 'record' | 'room'>): string | undefined {
    const isLetIn = entry.room !== undefined || onlyRemoves(entry.record)
    return isLetIn ? this.#failedReason : this.readOnlyReason
  }

  /** A long record goes where one was before, so that not both buffers become as long. */
  #swapBuffers(): void {
    if (this.#filling.pending.length > 0) return
    const { memory } = this.#filling
    if (this.#writing.memory.byteLength <= memory.byteLength) return
    ;[this.#filling, this.#writing] = [this.#writing, this.#filling]
  }

  /** Lets the next frame begin a segment, so that the one before can be sealed. */
  rotate(): void {
    this.#end.rotate()
  }

  /** Waits for what was appended, then lets the thread end. */
  async close(): Promise<void> {
    this.#isClosing = true
    if (this.#isBusy) {
      await new Promise<void>((resolve) => {
        this.#onIdle = resolve
      })
    }
    await this.#supply.close()
    await this.#writer.close()
  }

  #refusal(what: string): Error {
    return refusal('read_only', { what: `Cannot store: ${what}`, retryAfterSeconds: 5 })
  }

  #pump(): void {
    const frame = this.#filling
    if (frame.pending.length === 0 || this.#failedReason !== undefined) {
      this.#isBusy = false
      this.#onIdle?.()
      return
    }
    this.#isBusy = true
    const bytes = frameBytes(frame.payloadBytes)
    const start = this.#end.switchFor(bytes, frame)
    if (start === 'none_ready') {
      this.#waitForSegment(this.#end.nextBytesFor(bytes, frame), frame)
      return
    }
    if (start !== undefined) {
      this.#prepareAhead()
      this.#writer.post({ op: 'segment', start })
    }
    const { number: buffer, memory, payloadBytes } = frame
    if (this.#givenMemory[buffer] !== memory) {
      this.#givenMemory[buffer] = memory
      this.#writer.post({ op: 'buffer', buffer, memory })
    }
    const [sequence, fileOffset] = [this.#sequence, this.#end.offset]
    this.#sequence += 1
    this.#end.advance(bytes, frame)
    this.#filling = this.#writing
    this.#writing = frame
    this.#requestedAtMs = systemClock.elapsed()
    this.#writer.order({ buffer, payloadBytes, sequence, fileOffset })
  }

  #waitForSegment(bytes: number, frame: FrameBuffer): void {
    const prepared = this.#supply.prepare(bytes).catch((error: Error) => {
      // What only removes makes room, and so has the last of it.
      if (!frame.onlyRemoves || passingReason(error) === undefined) throw error
      return this.#supply.prepareLast(bytes)
    })
    prepared.then(
      () => this.#pump(),
      (error: Error) => this.#onPrepareFailed(error),
    )
  }

  #prepareAhead(): void {
    this.#supply.prepare(this.#end.keptBytes).catch((error: Error) => {
      // What may pass matters once the segment is needed, as the first is; any other failure is final.
      const isNeeded = this.#end.segment === undefined
      if (isNeeded || passingReason(error) === undefined) this.#noteFailedPrepare(error)
    })
  }

  /** Returns whether it may pass; a bad frame ends everything. */
  #noteFailedPrepare(error: Error): boolean {
    const passing = passingReason(error)
    if (passing === undefined) this.#failPrepare(error)
    else this.#pass(passing)
    return passing !== undefined
  }

  #onPrepareFailed(error: Error): void {
    if (!this.#noteFailedPrepare(error)) return
    // A segment that was to end may have what room was kept for.
    const tried = this.#end.goOn() ? [] : this.#filling.pending
    const waiting = [...this.#filling.clear(), ...this.#overflow]
    const { first, second, refused } = sortLetIn(waiting, tried)
    this.#overflow = refused
    this.#refuseWaiting(this.#passingReason ?? error.message)
    for (const entry of first) if (!this.#filling.tryAdd(entry)) this.#overflow.push(entry)
    this.#overflow.push(...second)
    if (first.length > 0) this.#pump()
  }

  /** Refuses what comes until there is room again. */
  #pass(reason: string): void {
    if (this.#passingReason === undefined) this.#retryLater()
    this.#passingReason = reason
  }

  #retryLater(): void {
    const retry = (): void => {
      if (this.#isClosing) return
      this.#supply.prepare(this.#end.keptBytes).then(
        () => {
          this.#passingReason = undefined
        },
        (error: Error) => {
          if (passingReason(error) === undefined) this.#failPrepare(error)
          else this.#retryLater()
        },
      )
    }
    setTimeout(retry, this.#options.roomRetryMs).unref()
  }

  #onReply(reply: JournalReply): void {
    if (reply === 'closed') return
    if (typeof reply !== 'number') {
      this.#failWriter(reply.what)
      return
    }
    const { segment } = this.#end
    invariant(segment !== undefined, 'a frame became durable outside any segment')
    const number = segment.number
    this.#durableSegment = number
    this.#durableBytes = this.#end.offset
    const done = this.#writing.clear()
    this.#release(done)
    this.#count(done)
    // The next frame is on its way before the head is brought up to date with this one.
    this.#refill()
    this.#pump()
    this.#refill()
    const records = done.map((entry) => entry.record)
    const applied = this.#options.onDurable({ segment: number, sequence: reply, records })
    const settle = (): void => {
      for (const entry of done) entry.resolve()
    }
    if (applied === undefined) settle()
    else applied.then(settle)
  }

  #count(done: readonly PendingRecord[]): void {
    this.#syncs.add((systemClock.elapsed() - this.#requestedAtMs) / 1_000)
    this.#counts.frames += 1
    this.#counts.puts += done.length
    for (const { record } of done) {
      this.#counts.bytes += record.bytes
      if (record.kind !== 'forget') this.#counts.samples += record.batch.count
    }
  }

  #release(entries: readonly PendingRecord[]): void {
    for (const entry of entries) this.#waitingBytes -= entry.record.bytes
    if (this.#onRoom.length === 0 || this.#waitingBytes > WAITING_BYTES_MAX) return
    const waiting = this.#onRoom
    this.#onRoom = []
    for (const resolve of waiting) resolve()
  }

  #refill(): void {
    let moved = 0
    while (moved < this.#overflow.length && this.#filling.tryAdd(this.#overflow[moved])) moved += 1
    if (moved > 0) this.#overflow = this.#overflow.slice(moved)
  }

  /** A frame whose write or sync failed may be on disk or not: only a restart can tell. */
  #failWriter(what: string): void {
    this.#failForGood(what)
    const reason = this.#failedReason ?? what
    this.#reject(this.#writing.clear(), reason)
    this.#refuseWaiting(reason)
  }

  #failPrepare(error: Error): void {
    this.#failForGood(`${error.message}: ${String(error.cause)}`)
    this.#refuseWaiting(this.#failedReason ?? error.message)
  }

  #failForGood(what: string): void {
    this.#failedReason ??= `the journal failed and is not written any more until a restart: ${what}`
  }

  /** Refuses what is not on its way to the disk; a frame that is settles with the writer's reply. */
  #refuseWaiting(reason: string): void {
    const waiting = [...this.#filling.clear(), ...this.#overflow]
    this.#overflow = []
    this.#reject(waiting, reason)
    if (this.#writing.pending.length > 0) return
    this.#isBusy = false
    this.#isIterationAwaited = false
    this.#onIdle?.()
  }

  #reject(entries: readonly PendingRecord[], reason: string): void {
    this.#release(entries)
    for (const entry of entries) entry.reject(this.#refusal(reason))
  }
}
