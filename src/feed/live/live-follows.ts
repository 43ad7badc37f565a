import { randomBytes } from 'node:crypto'
import { type Clock, refuse } from '../../base/index.ts'
import type { Catalog } from '../../catalog/index.ts'
import { POINT } from '../../catalog/shape/index.ts'
import type { Sample, StreamHandle, TouchedSpan } from '../../store/index.ts'
import { dueOf, GAP_DUE, LAST_DUE, NEW_DUE } from './live-due.ts'
import { LiveHistory } from './live-history.ts'
import type { LiveListener } from './live-listener.ts'
import { selectStreams } from './live-selection.ts'
import type { LiveStore } from './live-store.ts'
import { LiveStreams } from './live-streams.ts'
import type { SlicedWork } from './sliced-work.ts'

/** Streams that all listeners together may follow, each counted as often as it is followed. */
const FOLLOWED_MAX = 200_000
/** Touched streams whose last value is read at once. */
const LATEST_PER_STEP = 256

interface LiveFollowsDeps {
  readonly catalog: Catalog
  readonly store: LiveStore
  readonly clock: Clock
}

/** Which listener follows which streams, and what it is owed by what happens to them. */
export class LiveFollows {
  readonly #deps: LiveFollowsDeps
  readonly #streams: LiveStreams
  readonly #history = new LiveHistory()
  /** Cursors of other processes mean nothing here. */
  readonly #bootId = randomBytes(4).toString('hex')
  /** The last turn that is over. */
  #doneRound = 0
  #followed = 0

  constructor(deps: LiveFollowsDeps) {
    this.#deps = deps
    this.#streams = new LiveStreams(deps.store)
  }

  /** Streams that are followed, for listeners or for those who may come back. */
  get size(): number {
    return this.#streams.size
  }

  /** The cursor of a listener that is owed nothing up to the last turn that is over. */
  get cursor(): string {
    return this.#cursorOf(this.#doneRound)
  }

  /** Has a listener follow what it has selected, owed all that it has missed. */
  async begin(listener: LiveListener): Promise<void> {
    await this.#attach(listener, listener.selected.handles)
    this.#oweFirst(listener)
  }

  /** Updates which streams the selection covers, and which of them the caller may read. */
  async select(listener: LiveListener): Promise<void> {
    const { call, principal } = listener
    const selected = selectStreams(this.#deps.catalog.index, principal, call.selection)
    for (const handle of [...listener.streams.keys()]) {
      if (!selected.handles.has(handle)) this.#detach(listener, handle)
    }
    const { lastHandle } = listener.selected
    const added = [...selected.handles].filter((handle) => !listener.streams.has(handle))
    listener.setSelected(selected)
    await this.#attach(listener, added)
    for (const handle of added) {
      // Of one that was made meanwhile more may have come than its last value.
      const due = handle > lastHandle ? NEW_DUE : LAST_DUE
      if (listener.streams.has(handle)) listener.owe(handle, due)
    }
  }

  /** Asks the store what was touched, and notes what listeners are owed by it. */
  async gather(work: SlicedWork): Promise<void> {
    const touched = this.#streams.take()
    for (let at = 0; at < touched.length; at += LATEST_PER_STEP) {
      const spans = touched.slice(at, at + LATEST_PER_STEP)
      const latest = await this.#deps.store.latest(spans.map(({ handle }) => handle))
      for (const [place, span] of spans.entries()) this.#oweTouched(span, latest[place])
      await work.rest()
    }
  }

  #oweTouched(span: TouchedSpan, last: Sample | undefined): void {
    const { handle } = span
    const stream = this.#streams.get(handle)
    if (stream === undefined) return
    const { sent = last?.time ?? Number.NEGATIVE_INFINITY } = stream
    // A point stream is emptied by every sample: that alone is no change worth a word.
    const isPoint = this.#deps.catalog.index.kindOf(handle) === POINT
    const isMoved = isPoint && last !== undefined && last.time > sent
    const reach = Math.max(sent, span.until - 1)
    // What came since the store was asked is sent by the next round.
    const isAhead = last !== undefined && last.time > reach
    const known = isAhead ? undefined : last
    const due = dueOf(isMoved ? { ...span, from: last.time } : span, sent, known)
    stream.sent = isAhead ? reach : (last?.time ?? Number.NEGATIVE_INFINITY)
    this.#history.add(this.#doneRound + 1, handle, due)
    for (const listener of stream.listeners) if (!listener.isOver) listener.owe(handle, due)
  }

  /** Has a listener follow nothing. */
  end(listener: LiveListener): void {
    for (const handle of [...listener.streams.keys()]) this.#detach(listener, handle)
  }

  /** Says that a turn is over, and lets go of streams that nobody came back to. */
  async endRound(work: SlicedWork): Promise<void> {
    this.#doneRound += 1
    await this.#streams.sweep(this.#deps.clock.elapsed(), work)
  }

  close(): void {
    this.#streams.close()
  }

  /** What is owed at first: all that was missed, or where that is not known the last values. */
  #oweFirst(listener: LiveListener): void {
    const { since } = listener.call
    const [bootId, digits] = since?.split('-') ?? []
    const round = bootId === this.#bootId && /^\d{1,15}$/.test(digits ?? '') ? Number(digits) : -1
    const owed = round < 0 ? undefined : this.#history.owedSince(round, listener.streams)
    const otherwise = since === undefined ? LAST_DUE : GAP_DUE
    for (const [handle, { sinceRound }] of listener.streams) {
      if (owed === undefined || sinceRound > round) listener.owe(handle, otherwise)
    }
    for (const [handle, due] of owed ?? []) listener.owe(handle, due)
  }

  async #attach(listener: LiveListener, handles: Iterable<StreamHandle>): Promise<void> {
    for (const handle of handles) {
      if (listener.isOver || listener.streams.has(handle)) continue
      if (this.#followed >= FOLLOWED_MAX) refuse('overloaded', { retryAfterSeconds: 30 })
      this.#followed += 1
      listener.streams.set(handle, this.#streams.attach(handle, listener, this.#doneRound))
    }
    await this.#streams.readSent(listener.streams.values())
  }

  #detach(listener: LiveListener, handle: StreamHandle): void {
    const stream = listener.streams.get(handle)
    listener.dues.delete(handle)
    if (stream === undefined || !listener.streams.delete(handle)) return
    this.#followed -= 1
    this.#streams.detach(stream, listener, this.#deps.clock.elapsed())
  }

  #cursorOf(round: number): string {
    return `${this.#bootId}-${round}`
  }
}
