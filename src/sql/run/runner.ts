import type { Clock } from '../../base/plain.ts'
import { BoundedSlots } from './bounded-slots.ts'
import { CellReader, CellWriter } from './cell-codec.ts'
import { residentBytes } from './resident-bytes.ts'
import { RunClock, type RunTimes } from './run-clock.ts'
import { beginFrame, endFrame, FRAME, type Frame, FrameReader } from './runner-frames.ts'
import { RunningCall } from './running-call.ts'
import type { RunnerProcess } from './spawn-runner.ts'
import { type SqlCall, SqlRunError, type SqlRunSummary, UndeliveredCall } from './sql-call.ts'

/** Programs that one runner keeps compiled. */
const PROGRAMS_MAX = 128

/** After its caller has left, a call may end by itself for so long; starting a runner costs more. */
const ABORT_GRACE_MS = 100

/** Messages from a runner to its pool. */
interface RunnerEvents {
  /** It works on the call no more. */
  onFinish(running: RunningCall): void
  /** It can take a call. */
  onFree(runner: Runner): void
  /** It has died, or was killed. */
  onEnd(runner: Runner): void
}

/** One runner, as the service sees it: it takes one call at a time. */
export class Runner {
  /** When it became free, or began the call it has. */
  since: number
  readonly #process: RunnerProcess
  readonly #clock: Clock
  readonly #events: RunnerEvents
  readonly #reader = new FrameReader()
  readonly #writer = new CellWriter()
  readonly #slots = new BoundedSlots<object>(PROGRAMS_MAX)
  #running: RunningCall | undefined
  /** The process of Node itself. */
  #pid = 0
  #startBytes = 0
  #isHeld = false
  #isReady = false
  #isEnded = false
  /** Whether something that was sent to it was not read when it died. */
  #isUnread = false
  #endError: SqlRunError | undefined

  constructor(process: RunnerProcess, clock: Clock, events: RunnerEvents) {
    this.#process = process
    this.#clock = clock
    this.#events = events
    this.since = clock.elapsed()
    process.channel.on('data', (piece: Buffer) => {
      this.#reader.push(piece)
      this.#pump()
    })
    process.channel.on('error', ({ code }: NodeJS.ErrnoException) => {
      this.#isUnread = code === 'EPIPE' || code === 'ECONNRESET'
    })
    process.channel.once('close', () => this.#leave())
    process.gone.then(() => this.#end())
  }

  /** Whether it has started. */
  get isReady(): boolean {
    return this.#isReady
  }

  /** Whether it can be given a call. */
  get isFree(): boolean {
    if (!this.#isReady || this.#isEnded || this.#process.channel.destroyed) return false
    return this.#running === undefined
  }

  /** The call it works on. */
  get running(): RunningCall | undefined {
    return this.#running
  }

  /** What it holds beyond what it had when it started. */
  get grownBytes(): number {
    return residentBytes(this.#pid) - this.#startBytes
  }

  /** Resolves when no process is left. */
  get gone(): Promise<void> {
    return this.#process.gone
  }

  /** What the process said last. */
  get lastWords(): string {
    return this.#process.lastWords()
  }

  /** Whether it has the program compiled. */
  knows({ key, program }: SqlCall): boolean {
    return this.#slots.find(key) === program
  }

  /** Runs a call; the runner must be free. */
  run(call: SqlCall, times: RunTimes): Promise<SqlRunSummary> {
    this.since = this.#clock.elapsed()
    const running = new RunningCall(call, new RunClock(this.#clock, times), (bytes) =>
      this.#send(bytes),
    )
    this.#running = running
    this.#send(this.#writeCall(call))
    if (call.signal === undefined) return running.outcome
    const abort = (): void => {
      running.fail(call.signal?.reason)
      const kill = (): void => {
        if (this.#running === running) this.kill()
      }
      setTimeout(kill, ABORT_GRACE_MS).unref()
    }
    call.signal.addEventListener('abort', abort, { once: true })
    return running.outcome.finally(() => call.signal?.removeEventListener('abort', abort))
  }

  /** Ends the process at once; a call it works on fails with the error. */
  kill(error?: SqlRunError): void {
    this.#endError ??= error
    this.#process.kill()
    this.#end()
  }

  #writeCall({ key, program, variables, now, rowsMax }: SqlCall): Buffer {
    const writer = this.#writer
    const { slot, isKept } = this.#slots.place(key, program)
    if (!isKept) {
      const at = beginFrame(writer, FRAME.program)
      writer.uint32(slot)
      writer.text(JSON.stringify(program))
      endFrame(writer, at)
    }
    const at = beginFrame(writer, FRAME.run)
    writer.uint32(slot)
    writer.int64(BigInt(now))
    writer.uint32(rowsMax)
    for (const name of program.variables) writer.cell(variables.get(name) ?? null)
    endFrame(writer, at)
    return writer.take()
  }

  #send(bytes: Buffer): Promise<void> | undefined {
    const { channel } = this.#process
    if (channel.write(bytes) || channel.destroyed) return undefined
    return new Promise((resolve) => {
      const settle = (): void => {
        channel.off('drain', settle)
        channel.off('close', settle)
        resolve()
      }
      channel.once('drain', settle)
      channel.once('close', settle)
    })
  }

  /** Takes the frames that are there, until a caller needs time for what it was given. */
  #pump(): void {
    try {
      while (!this.#isHeld && !this.#isEnded) {
        const frame = this.#reader.next()
        if (frame === undefined) return
        this.#take(frame)
      }
    } catch (error) {
      this.kill(new SqlRunError('crash', `The runner answered nonsense: ${error}`))
    }
  }

  #take({ kind, body }: Frame): void {
    if (kind === FRAME.ready && !this.#isReady) {
      this.#pid = new CellReader(body).uint32()
      this.#startBytes = residentBytes(this.#pid)
      this.#isReady = true
      this.#free()
      return
    }
    const running = this.#running
    if (running === undefined) throw new RangeError(`A frame of the kind ${kind} to nobody`)
    const taken = running.take(kind, body)
    if (taken !== undefined) this.#hold(running, taken)
    if (running.isWasteful) this.kill()
    if (kind !== FRAME.done && kind !== FRAME.failed) return
    // Rows that are still handed over are in the way of the next call.
    if (running.ending === undefined) this.#free()
    else running.ending.then(() => this.#free())
  }

  #hold(running: RunningCall, taken: Promise<void>): void {
    const { channel } = this.#process
    this.#isHeld = true
    channel.pause()
    running.clock.wait()
    taken.then(() => {
      this.#isHeld = false
      running.clock.work()
      channel.resume()
      this.#pump()
    })
  }

  #free(): void {
    if (this.#isEnded) return
    this.#finish()
    this.#events.onFree(this)
    this.since = this.#clock.elapsed()
  }

  #finish(): void {
    const running = this.#running
    this.#running = undefined
    if (running !== undefined) this.#events.onFinish(running)
  }

  /** Its last output says why it died. */
  #leave(): void {
    this.#process.kill()
    if (this.#running === undefined) this.#end()
    else this.#process.silent.then(() => this.#end())
  }

  #end(): void {
    if (this.#isEnded) return
    this.#isEnded = true
    this.#process.kill()
    this.#running?.fail(this.#endError ?? this.#crashError(this.#running))
    this.#finish()
    this.#events.onEnd(this)
  }

  #crashError({ hasSpoken }: RunningCall): SqlRunError {
    if (this.#isUnread && !hasSpoken) return new UndeliveredCall()
    if (/out of memory|allocation failed/i.test(this.lastWords)) {
      return new SqlRunError('memory', 'Cannot run this: it needs more memory than a run can use')
    }
    return new SqlRunError(
      'crash',
      'Cannot run this: its process ended unexpectedly. Nothing was stored',
    )
  }
}
