import type { StreamFollow, StreamHandle } from '../../store/index.ts'
import type { Due } from './live-due.ts'
import type { LiveStore } from './live-store.ts'
import type { SlicedWork } from './sliced-work.ts'

/** A follower of a stream. */
interface Follower {
  /** Whether it has disconnected and receives nothing. */
  readonly isOver: boolean
  owe(handle: StreamHandle, due: Due): void
}

/** A stream that listeners follow, or did a moment ago. */
export interface LiveStream {
  readonly handle: StreamHandle
  readonly listeners: Set<Follower>
  /** It is followed without a break since this turn was over. */
  readonly sinceRound: number
  /** The time of the newest sample that listeners received, or are about to receive; undefined: not read yet. */
  sent: number | undefined
  /** Until when it is followed for those who come back; undefined while it has listeners. */
  lingersUntilMs: number | undefined
}

/** How long a stream is followed after its last listener has gone: who reconnects misses nothing. */
const LINGER_MS = 60_000
/** Streams that are followed for nobody but those who may come back. */
const LINGERING_MAX = 10_000
/** Streams that are let go of before it is looked whether others wait. */
const SWEPT_PER_STEP = 256

/** The streams that are followed, each once however many listen. */
export class LiveStreams {
  readonly #store: LiveStore
  readonly #follow: StreamFollow
  readonly #streams = new Map<StreamHandle, LiveStream>()
  /** Without listeners, the one that was left first comes first. */
  readonly #lingering = new Set<LiveStream>()

  constructor(store: LiveStore) {
    this.#store = store
    this.#follow = store.follow()
  }

  get size(): number {
    return this.#streams.size
  }

  get(handle: StreamHandle): LiveStream | undefined {
    return this.#streams.get(handle)
  }

  /** Has a listener follow a stream; `turn` is the last one that is over. */
  attach(handle: StreamHandle, listener: Follower, round: number): LiveStream {
    const known = this.#streams.get(handle)
    if (known !== undefined) {
      known.listeners.add(listener)
      known.lingersUntilMs = undefined
      this.#lingering.delete(known)
      return known
    }
    const stream: LiveStream = {
      handle,
      listeners: new Set([listener]),
      sinceRound: round,
      sent: undefined,
      lingersUntilMs: undefined,
    }
    this.#streams.set(handle, stream)
    this.#follow.add(handle)
    return stream
  }

  /**
   * Reads where streams end of which that is not known. They are followed already: what comes in
   * between is sent twice rather than not at all.
   */
  async readSent(streams: Iterable<LiveStream>): Promise<void> {
    const unread = [...streams].filter(({ sent }) => sent === undefined)
    const latest = await this.#store.latest(unread.map(({ handle }) => handle))
    for (const [at, stream] of unread.entries()) {
      stream.sent ??= latest[at]?.time ?? Number.NEGATIVE_INFINITY
    }
  }

  detach(stream: LiveStream, listener: Follower, nowMs: number): void {
    stream.listeners.delete(listener)
    if (stream.listeners.size > 0 || this.#streams.get(stream.handle) !== stream) return
    stream.lingersUntilMs = nowMs + LINGER_MS
    this.#lingering.add(stream)
  }

  /** Where followed streams were touched since the last call. */
  take() {
    return this.#follow.take()
  }

  /** Lets go of streams that nobody came back to. */
  async sweep(nowMs: number, work: SlicedWork): Promise<void> {
    let swept = 0
    for (const stream of this.#lingering) {
      const isOver = (stream.lingersUntilMs ?? nowMs) <= nowMs
      if (!isOver && this.#lingering.size <= LINGERING_MAX) return
      this.#lingering.delete(stream)
      this.#streams.delete(stream.handle)
      this.#follow.delete(stream.handle)
      swept += 1
      if (swept % SWEPT_PER_STEP === 0) await work.rest()
    }
  }

  close(): void {
    this.#follow.close()
  }
}
