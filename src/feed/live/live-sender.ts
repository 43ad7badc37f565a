import type { Clock } from '../../base/index.ts'
import type { Catalog } from '../../catalog/index.ts'
import type { StreamHandle } from '../../store/index.ts'
import type { ShowFile } from '../get/get-feed.ts'
import { type Due, dueAfter } from './live-due.ts'
import type { LiveListener } from './live-listener.ts'
import { type LiveFrame, LiveReader } from './live-reader.ts'
import type { LiveStore } from './live-store.ts'

/**
 * Bytes after which a piece is sent: with one event beyond, all that lies in memory for who does not
 * read. What else is owed waits until the piece has left.
 */
const PIECE_BYTES = 16 * 1024
/** Streams that are read for one message, whether they have changes or not. Then other listeners are served. */
const READS_MAX = 256

/** The parts that sending needs. */
export interface LiveSenderDeps {
  readonly catalog: Catalog
  readonly store: LiveStore
  readonly clock: Clock
  readonly showFile: ShowFile
  readonly frame: LiveFrame
  /** Writes the cursor up to which all was sent. */
  readonly frameCursor: (cursor: string) => string
  readonly onFailure: (error: unknown) => void
}

/** Sends listeners what they are owed. */
export class LiveSender {
  readonly #deps: LiveSenderDeps
  readonly #reader: LiveReader
  /** Times that something was sent. */
  sent = 0
  sentLength = 0

  constructor(deps: LiveSenderDeps) {
    this.#deps = deps
    this.#reader = new LiveReader(deps)
  }

  /** Sends a listener the next piece if it has read the previous one. */
  async send(listener: LiveListener, cursor: string, onLeft: () => void): Promise<void> {
    const { sink } = listener.call
    if (!sink.isFree || listener.isOver) return
    const { frameCursor, clock } = this.#deps
    let text = await this.#nextPiece(listener)
    if (listener.isOver) return
    if (!listener.isOwed) text += frameCursor(cursor)
    if (text === '') return onLeft()
    listener.sentAtMs = clock.elapsed()
    this.sent += 1
    this.sentLength += text.length
    sink.send(text, onLeft)
  }

  async #nextPiece(listener: LiveListener): Promise<string> {
    const piece = new Piece()
    while (!piece.isFull) {
      const notice = listener.takeNotice(this.#deps.frame)
      if (notice === undefined) break
      piece.add(notice)
    }
    let reads = 0
    for (const [handle, due] of listener.dues) {
      if (piece.isFull || reads >= READS_MAX) break
      reads += 1
      listener.dues.delete(handle)
      try {
        await this.#addNews(piece, listener, [handle, due])
      } catch (error) {
        this.#deps.onFailure(error)
      }
    }
    return piece.text
  }

  /** Adds what is owed of a stream as far as there is room; the rest stays owed. */
  async #addNews(
    piece: Piece,
    listener: LiveListener,
    [handle, due]: readonly [StreamHandle, Due],
  ): Promise<void> {
    const stream = listener.streams.get(handle)
    if (stream === undefined) return
    const news = await this.#reader.read(stream, due, listener.call.form)
    let samples = 0
    for (const [at, { text, time }] of news.entries()) {
      piece.add(text)
      if (time === undefined) continue
      samples += 1
      if (!piece.isFull || at + 1 === news.length) continue
      listener.oweRest(handle, dueAfter(due, time))
      break
    }
    if (samples > 0) listener.sent.set(handle, (listener.sent.get(handle) ?? 0) + samples)
  }

  /** Has the samples counted that were sent to a listener since it was asked last. */
  countSent(listener: LiveListener): void {
    const { index } = this.#deps.catalog
    for (const [handle, samples] of listener.sent) {
      if (index.has(handle)) listener.call.onSent(index.componentOf(handle), samples)
    }
    listener.sent.clear()
  }

  /** Says that what is owed from here on may be more than what was read. */
  beginRound(): void {
    this.#reader.beginRound()
  }
}

/** Text that is sent at once. */
class Piece {
  text = ''
  #bytes = 0

  get isFull(): boolean {
    return this.#bytes >= PIECE_BYTES
  }

  add(text: string): void {
    this.text += text
    this.#bytes += Buffer.byteLength(text)
  }
}
