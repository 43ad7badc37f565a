import { CellReader, CellWriter, type RowCell } from './cell-codec.ts'
import { writeInputBatch } from './input-batch.ts'
import type { RunClock } from './run-clock.ts'
import { beginFrame, endFrame, FRAME, FRAME_BYTES_MAX } from './runner-frames.ts'
import { type SqlCall, SqlRunError, type SqlRunSummary, type WantedRead } from './sql-call.ts'

/** Bytes of rows that are discarded after the caller has left. Then the runner is killed. */
const SKIPPED_BYTES_MAX = 4 * 1024 * 1024

/** Sends bytes to the runner; resolves when there is room for more, or nobody to take it. */
type Send = (bytes: Buffer) => Promise<void> | undefined

/** A call that a runner works on, on the service's side of the channel. */
export class RunningCall {
  readonly call: SqlCall
  readonly clock: RunClock
  /** Settles with the call. */
  readonly outcome: Promise<SqlRunSummary>
  readonly #send: Send
  readonly #settle = Promise.withResolvers<SqlRunSummary>()
  #isSettled = false
  #isAnswered = false
  #hasSpoken = false
  #skippedBytes = 0
  #feeding: Promise<void> | undefined
  #inputError: { readonly error: unknown } | undefined

  constructor(call: SqlCall, clock: RunClock, send: Send) {
    this.call = call
    this.clock = clock
    this.#send = send
    this.outcome = this.#settle.promise
  }

  /** Resolves when no more rows are handed over; undefined when none are. */
  get ending(): Promise<void> | undefined {
    return this.#feeding
  }

  /** Whether the runner has said anything of the call. */
  get hasSpoken(): boolean {
    return this.#hasSpoken
  }

  /** Fails the call, unless it is settled. */
  fail(error: unknown): void {
    if (this.#isSettled) return
    this.#isSettled = true
    this.#settle.reject(error)
  }

  /** Whether so much was thrown away that killing the runner is cheaper. */
  get isWasteful(): boolean {
    return this.#skippedBytes > SKIPPED_BYTES_MAX
  }

  /** Takes a frame; what it returns is pending while the caller cannot take more. */
  take(kind: number, body: Buffer): void | Promise<void> {
    const reader = new CellReader(body)
    this.#hasSpoken = true
    switch (kind) {
      case FRAME.rows:
        return this.#takeRows(reader, body.length)
      case FRAME.options: {
        const statement = reader.uint32()
        const [row = []] = reader.rows(reader.uint32())
        return this.#notify(() => this.call.onOptions?.(statement, row))
      }
      case FRAME.want:
        this.#feeding = this.#feed(readWanted(reader)).finally(() => {
          this.#feeding = undefined
        })
        return
      case FRAME.done:
        this.#isAnswered = true
        if (this.#isSettled) return
        this.#isSettled = true
        this.#settle.resolve({ rowCount: reader.uint32() })
        return
      case FRAME.failed:
        this.#isAnswered = true
        this.fail(this.#inputError?.error ?? readFailure(reader))
        return
      default:
        throw new RangeError(`A frame of the unknown kind ${kind}`)
    }
  }

  #takeRows(reader: CellReader, bytes: number): void | Promise<void> {
    if (this.#isSettled) {
      this.#skippedBytes += bytes
      return
    }
    const statement = reader.uint32()
    const rows = reader.rows(reader.uint32())
    return this.#notify(() => this.call.onRows(statement, rows))
  }

  /** Calls back. An error there fails the call, not the runner. */
  #notify(tell: () => void | Promise<void>): void | Promise<void> {
    try {
      const taken = tell()
      if (taken === undefined) return
      return taken.catch((error) => this.fail(error))
    } catch (error) {
      this.fail(error)
    }
  }

  /** Hands over the rows that the runner has asked for. */
  async #feed(wanted: WantedRead): Promise<void> {
    this.clock.wait()
    try {
      if (this.call.openRead === undefined)
        throw new Error('BUG: a program reads what nobody gives')
      for await (const batch of this.call.openRead(wanted)) {
        if (this.#isSettled || this.#isAnswered) throw new Error('The call is over')
        const sent = this.#send(
          frameOf(FRAME.input, (writer) => {
            writeInputBatch(writer, batch)
            if (writer.length > FRAME_BYTES_MAX) throw new Error('BUG: a batch is too long')
          }),
        )
        if (sent === undefined) continue
        this.clock.work()
        await sent
        this.clock.wait()
      }
      this.#send(frameOf(FRAME.inputEnd, (writer) => writer.uint8(1)))
    } catch (error) {
      this.#inputError = { error }
      this.#send(frameOf(FRAME.inputEnd, (writer) => writer.uint8(0)))
    } finally {
      this.clock.work()
    }
  }
}

function readWanted(reader: CellReader): WantedRead {
  const statement = reader.uint32()
  const read = reader.uint32()
  const given = Array.from({ length: reader.uint32() }, () => reader.cell())
  const bounds: RowCell[] | undefined = reader.uint8() === 0 ? undefined : []
  while (!reader.isAtEnd) bounds?.push(reader.cell())
  return { statement, read, given, bounds }
}

function readFailure(reader: CellReader): SqlRunError {
  const from = reader.uint32()
  const until = reader.uint32()
  return new SqlRunError('failed', reader.text(), [from, until])
}

function frameOf(kind: number, writeBody: (writer: CellWriter) => void): Buffer {
  const writer = new CellWriter()
  const at = beginFrame(writer, kind)
  writeBody(writer)
  endFrame(writer, at)
  return writer.take()
}
