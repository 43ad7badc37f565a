import { readSync, writeSync } from 'node:fs'
import { invariant } from '../../base/plain.ts'
import { CellWriter } from './cell-codec.ts'
import { beginFrame, endFrame, FRAME, type Frame, FrameReader } from './runner-frames.ts'

const PIECE_BYTES = 64 * 1024

/** What waits to be sent is sent from here on: long enough to be worth a call of the system. */
const FLUSH_BYTES = 128 * 1024

/** The service has gone, or has nothing more to say. */
export class ChannelEnd extends Error {}

/** The service hands over no more rows, as its caller has failed; why is known there. */
export class InputFailure extends Error {}

/**
 * A runner's end of the channel. It blocks: a runner has nothing to do but the one call it was given,
 * and one that writes faster than the service reads stands still by itself.
 */
export class RunnerChannel {
  readonly #fd: number
  readonly #reader = new FrameReader()
  readonly #writer = new CellWriter(FLUSH_BYTES * 2)
  readonly #piece = Buffer.allocUnsafeSlow(PIECE_BYTES)
  #isInputOpen = false

  constructor(fd: number) {
    this.#fd = fd
  }

  /** Waits for the next frame, good until the one after; throws a ChannelEnd. */
  read(): Frame {
    for (;;) {
      const frame = this.#reader.next()
      if (frame !== undefined) return frame
      const bytes = this.#readSome()
      if (bytes === 0) throw new ChannelEnd()
      this.#reader.push(this.#piece.subarray(0, bytes))
    }
  }

  /** The rows that were asked for, frame by frame; throws an InputFailure where not all come. */
  *inputs(): Generator<Buffer> {
    this.#isInputOpen = true
    for (;;) {
      const { kind, body } = this.read()
      if (kind === FRAME.input) {
        yield body
        continue
      }
      invariant(kind === FRAME.inputEnd, `frame ${kind} among rows`)
      this.#isInputOpen = false
      if (body[0] === 0) throw new InputFailure()
      return
    }
  }

  /** Skips rows that are still on their way. */
  skipInputs(): void {
    while (this.#isInputOpen) if (this.read().kind === FRAME.inputEnd) this.#isInputOpen = false
  }

  /** Writes a frame, or nothing where `writeBody` throws; it is sent when much has gathered. */
  write(kind: number, writeBody: (writer: CellWriter) => void = () => {}): void {
    const at = beginFrame(this.#writer, kind)
    try {
      writeBody(this.#writer)
    } catch (error) {
      this.#writer.cut(at)
      throw error
    }
    endFrame(this.#writer, at)
    if (this.#writer.length >= FLUSH_BYTES) this.flush()
  }

  /** Sends what was written. */
  flush(): void {
    const bytes = this.#writer.written()
    for (let at = 0; at < bytes.length; ) at += this.#writeSome(bytes.subarray(at))
    this.#writer.cut()
  }

  #readSome(): number {
    for (;;) {
      try {
        return readSync(this.#fd, this.#piece)
      } catch (error) {
        if (!isInterruption(error)) throw error
      }
    }
  }

  #writeSome(bytes: Buffer): number {
    try {
      return writeSync(this.#fd, bytes)
    } catch (error) {
      if (isInterruption(error)) return 0
      throw error
    }
  }
}

function isInterruption(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'EINTR'
}
