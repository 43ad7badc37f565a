import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads'
import { invariant, refusal } from '../../../base/index.ts'
import { type Disk, isDiskFull } from '../disk/disk.ts'
import { CONTROL_BYTES, ControlCells } from './control-cells.ts'
import { frameBytes } from './frame.ts'
import { FrameBuffer, type PendingRecord } from './frame-buffer.ts'
import type { JournalCommand, JournalReply, JournalThreadData } from './journal-protocol.ts'
import type { JournalRecord, SizedRecord } from './record.ts'
import { SEGMENT_HEADER_BYTES } from './segment.ts'
import { type ReadySegment, SegmentSupply } from './segment-supply.ts'

/** Records that wait for the disk: beyond this an append waits until some are written. */
const WAITING_BYTES_MAX = 64 * 1024 * 1024

/** Records that became durable together, in journal order. */
export interface DurableGroup {
  readonly segment: number
  readonly sequence: number
  readonly records: readonly JournalRecord[]
}

export interface JournalOptions {
  readonly folder: string
  readonly disk: Disk
  readonly faults: SharedArrayBuffer | undefined
  readonly segmentBytes: number
  readonly nextSegment: number
  readonly nextSequence: number
  /** How long to wait before asking a full disk for room again. */
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
  readonly #worker: Worker
  readonly #exited: Promise<void>
  readonly #port: MessagePort
  readonly #cells: ControlCells
  #filling = new FrameBuffer(0)
  #writing = new FrameBuffer(1)
  /** The memory of each frame buffer as the thread knows it. */
  readonly #givenMemory: Array<SharedArrayBuffer | undefined> = []
  #overflow: PendingRecord[] = []
  #isBusy = false
  #sequence: number
  #segment: ReadySegment | undefined
  #offset = 0
  #isRotationDue = false
  #failedReason: string | undefined
  #fullReason: string | undefined
  #isClosing = false
  #onIdle: (() => void) | undefined
  #waitingBytes = 0
  #onRoom: Array<() => void> = []

  constructor(options: JournalOptions) {
    this.#options = options
    this.#sequence = options.nextSequence
    this.#supply = new SegmentSupply({ ...options, nextNumber: options.nextSegment })
    const { port1, port2 } = new MessageChannel()
    const control = new SharedArrayBuffer(CONTROL_BYTES)
    this.#cells = new ControlCells(control)
    this.#port = port1
    const workerData: JournalThreadData = { port: port2, control, faults: options.faults }
    const url = new URL('./journal-thread.ts', import.meta.url)
    this.#worker = new Worker(url, { workerData, transferList: [port2], name: 'journal' })
    this.#exited = new Promise((resolve) => this.#worker.once('exit', () => resolve()))
    this.#worker.on('error', (error) => this.#fail(`the journal thread died: ${String(error)}`))
    port1.on('message', (reply: JournalReply) => this.#onReply(reply))
    this.#prepareAhead(0)
  }

  /** Why appends are refused, or undefined while they are taken. */
  get readOnlyReason(): string | undefined {
    return this.#failedReason ?? this.#fullReason
  }

  /** The sequence of the last frame that was handed to the disk. */
  get lastSequence(): number {
    return this.#sequence - 1
  }

  /** Resolves once the record would survive a crash and onDurable has seen it. */
  append(record: SizedRecord): Promise<void> {
    return this.#waitingBytes > WAITING_BYTES_MAX
      ? this.#appendLater(record)
      : this.#enqueue(record)
  }

  async #appendLater(record: SizedRecord): Promise<void> {
    while (this.#waitingBytes > WAITING_BYTES_MAX) {
      await new Promise<void>((resolve) => this.#onRoom.push(resolve))
    }
    await this.#enqueue(record)
  }

  #enqueue(record: SizedRecord): Promise<void> {
    const reason = this.#isClosing ? 'The store is closing' : this.readOnlyReason
    if (reason !== undefined) return Promise.reject(this.#refusal(reason))
    return new Promise((resolve, reject) => {
      const entry = { record, resolve, reject }
      this.#waitingBytes += record.bytes
      if (this.#overflow.length > 0 || !this.#filling.tryAdd(entry)) this.#overflow.push(entry)
      if (!this.#isBusy) this.#pump()
    })
  }

  /** Lets the next frame begin a segment, so that the one before can be sealed. */
  rotate(): void {
    this.#isRotationDue = this.#segment !== undefined
  }

  /** Waits for what was appended, then lets the thread end. */
  async close(): Promise<void> {
    this.#isClosing = true
    if (this.#isBusy && this.#failedReason === undefined) {
      await new Promise<void>((resolve) => {
        this.#onIdle = resolve
      })
    }
    await this.#supply.close()
    this.#post({ op: 'close' })
    this.#cells.call()
    await this.#exited
    this.#port.close()
  }

  #refusal(what: string): Error {
    return refusal('read_only', { what: `Cannot store: ${what}`, retryAfterSeconds: 5 })
  }

  /** Sends what the thread shall know with the next call. */
  #post(command: JournalCommand): void {
    this.#port.postMessage(command)
    this.#cells.noteMessage()
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
    const start = this.#segmentFor(bytes)
    if (start === 'none_ready') {
      this.#waitForSegment(SEGMENT_HEADER_BYTES + bytes)
      return
    }
    if (start !== undefined) this.#post({ op: 'segment', start })
    const { number: buffer, memory, payloadBytes } = frame
    if (this.#givenMemory[buffer] !== memory) {
      this.#givenMemory[buffer] = memory
      this.#post({ op: 'buffer', buffer, memory })
    }
    const [sequence, fileOffset] = [this.#sequence, this.#offset]
    this.#cells.order({ buffer, payloadBytes, sequence, fileOffset })
    this.#cells.call()
    this.#sequence += 1
    this.#offset += bytes
    this.#filling = this.#writing
    this.#writing = frame
  }

  /** Turns to the next segment when the frame does not fit; tells the one to begin, if any. */
  #segmentFor(bytes: number): ReadySegment | undefined | 'none_ready' {
    const current = this.#segment
    const fits = current !== undefined && this.#offset + bytes <= current.bytes
    if (fits && !this.#isRotationDue) return undefined
    const next = this.#supply.take(SEGMENT_HEADER_BYTES + bytes)
    if (next === undefined) return 'none_ready'
    this.#segment = next
    this.#offset = SEGMENT_HEADER_BYTES
    this.#isRotationDue = false
    this.#prepareAhead(0)
    return next
  }

  #waitForSegment(bytes: number): void {
    this.#supply.prepare(bytes).then(
      () => this.#pump(),
      (error: Error) => this.#onPrepareFailed(error),
    )
  }

  #prepareAhead(bytes: number): void {
    this.#supply.prepare(bytes).catch((error: Error) => {
      // A full disk matters only once the segment is needed; any other failure is final.
      if (!isDiskFull(error)) this.#fail(`${error.message}: ${String(error.cause)}`)
    })
  }

  #onPrepareFailed(error: Error): void {
    if (!isDiskFull(error)) {
      this.#fail(`${error.message}: ${String(error.cause)}`)
      return
    }
    this.#fullReason = 'the disk is full'
    this.#rejectAll(this.#fullReason)
    this.#isBusy = false
    this.#onIdle?.()
    this.#retryLater()
  }

  #retryLater(): void {
    const retry = (): void => {
      if (this.#isClosing) return
      this.#supply.prepare(0).then(
        () => {
          this.#fullReason = undefined
        },
        (error: Error) => {
          if (isDiskFull(error)) this.#retryLater()
          else this.#fail(`${error.message}: ${String(error.cause)}`)
        },
      )
    }
    setTimeout(retry, this.#options.roomRetryMs).unref()
  }

  #onReply(reply: JournalReply): void {
    if (reply === 'closed') return
    if (typeof reply !== 'number') {
      this.#fail(reply.what)
      return
    }
    const segment = this.#segment
    invariant(segment !== undefined, 'a frame became durable outside any segment')
    const number = segment.number
    const done = this.#writing.clear()
    this.#release(done)
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

  #fail(what: string): void {
    this.#failedReason ??= `the journal failed and is not written any more until a restart: ${what}`
    this.#rejectAll(this.#failedReason)
    this.#isBusy = false
    this.#onIdle?.()
  }

  #rejectAll(reason: string): void {
    const waiting = [...this.#writing.clear(), ...this.#filling.clear(), ...this.#overflow]
    this.#overflow = []
    this.#release(waiting)
    for (const entry of waiting) entry.reject(this.#refusal(reason))
  }
}
