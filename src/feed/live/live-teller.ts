import type { Clock } from '../../base/index.ts'
import type { Catalog } from '../../catalog/index.ts'
import type { SampleStore } from '../../store/index.ts'
import type { ShowFile } from '../get/get-feed.ts'
import type { LiveListener } from './live-listener.ts'
import { type LiveFrame, LiveReader } from './live-reader.ts'

/** Characters that are sent to a listener at once; the rest waits for the next turn. */
const SENT_LENGTH_MAX = 262_144

/** What telling works with. */
export interface LiveTellerDeps {
  readonly catalog: Catalog
  readonly store: SampleStore
  readonly clock: Clock
  readonly showFile: ShowFile
  readonly frame: LiveFrame
  /** Writes the cursor up to which all was told. */
  readonly frameCursor: (cursor: string) => string
  readonly onFailure: (error: unknown) => void
}

/** Sends listeners what they are owed. */
export class LiveTeller {
  readonly #deps: LiveTellerDeps
  readonly #reader: LiveReader
  /** Times that something was sent. */
  sent = 0
  sentLength = 0

  constructor(deps: LiveTellerDeps) {
    this.#deps = deps
    this.#reader = new LiveReader(deps)
  }

  /** Tells a listener what it is owed, if it has taken what came before. */
  async tell(listener: LiveListener, cursor: string): Promise<void> {
    const { sink, form } = listener.call
    if (!sink.isFree || listener.isBeingTold || listener.isOver) return
    listener.isBeingTold = true
    const { frame, frameCursor, clock, onFailure } = this.#deps
    let text = listener.takeNotices(frame)
    for (const [handle, due] of listener.dues) {
      if (text.length > SENT_LENGTH_MAX) break
      listener.dues.delete(handle)
      try {
        const news = await this.#reader.read(handle, due, form)
        text += news.text
        if (news.samples > 0) {
          listener.sent.set(handle, (listener.sent.get(handle) ?? 0) + news.samples)
        }
      } catch (error) {
        onFailure(error)
      }
    }
    listener.isBeingTold = false
    if (listener.isOver) return
    if (!listener.isOwed) text += frameCursor(cursor)
    listener.sentAtMs = clock.elapsed()
    this.sent += 1
    this.sentLength += text.length
    sink.send(text)
  }

  /** Has the samples counted that were sent to a listener since it was asked last. */
  countSent(listener: LiveListener): void {
    const { index } = this.#deps.catalog
    for (const [handle, samples] of listener.sent) {
      if (index.has(handle)) listener.call.onSent(index.componentOf(handle), samples)
    }
    listener.sent.clear()
  }

  endTurn(): void {
    this.#reader.endTurn()
  }
}
