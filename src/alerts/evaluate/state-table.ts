/** The states of all alerts, their timers, and what changes them. Changes are kept until they are committed. */
import { newOrderedUid } from '../../base/index.ts'
import type { StreamIndex } from '../../catalog/index.ts'
import { INTERVAL } from '../../catalog/shape/index.ts'
import type { StreamHandle } from '../../store/index.ts'
import type { StateChange, StreamNames } from '../state/change.ts'
import {
  afterEnd,
  afterHolding,
  afterSilence,
  type NextState,
  OK_STATE,
  type StreamState,
} from '../state/next-state.ts'
import type { StoredState } from '../state/state-documents.ts'
import type { LoadedAlert } from './loaded-alert.ts'
import { TIMERS, type Timer, TimerHeap } from './timer-heap.ts'
import type { LeaveCause, WatchList, WatchListener } from './watch-list.ts'

/** Timers of states and alerts that have changed, which are kept until they are due: half a megabyte. */
const OLD_TIMERS_MAX = 20_000

/** A state that is not the first one, with the names that its stream has after it is deleted. */
interface Row {
  state: StreamState
  names: StreamNames
}

interface StateTableDeps {
  readonly index: StreamIndex
  readonly watches: WatchList
  readonly now: () => number
  /** The next number of a change; ascends over all processes. */
  readonly nextSequence: () => number
}

/** A stream that an alert began to watch. */
interface JoinedStream {
  readonly handle: StreamHandle
  /** Whether it was made just before, so that all of its samples are new. */
  readonly isNew: boolean
}

/** A state that fires, about which channels get another notice. */
interface Reminder {
  readonly loaded: LoadedAlert
  readonly handle: StreamHandle
  readonly names: StreamNames
  readonly state: StreamState
}

/** States are here once they are not OK, so that a million quiet streams take no memory. */
export class StateTable implements WatchListener {
  readonly #deps: StateTableDeps
  readonly #rows = new Map<number, Map<number, Row>>()
  /** Streams without a timer of silence, by alert: one is added when they stop firing. */
  readonly #unarmed = new Map<number, Set<number>>()
  readonly #timers = new TimerHeap()
  /** With more, most timers mean nothing any more. */
  #timersMax = 0
  #changes: StateChange[] = []
  #reminders: Reminder[] = []
  #unmuted: LoadedAlert[] = []
  #gone: LoadedAlert[] = []
  #joined: JoinedStream[] = []

  constructor(deps: StateTableDeps) {
    this.#deps = deps
  }

  /** When something is to be done without a sample. */
  get nextTimerMs(): number {
    return this.#timers.firstMs
  }

  get nowMs(): number {
    return this.#deps.now()
  }

  get timerCount(): number {
    return this.#timers.count
  }

  /** How many states are as asked for. */
  count(state: StreamState['state']): number {
    let count = 0
    for (const rows of this.#rows.values()) {
      for (const row of rows.values()) if (row.state.state === state) count += 1
    }
    return count
  }

  /** Changes since the last call, in order. */
  takeChanges(): StateChange[] {
    const changes = this.#changes
    this.#changes = []
    return changes
  }

  takeReminders(): Reminder[] {
    const reminders = this.#reminders
    this.#reminders = []
    return reminders
  }

  /** Alerts whose mute has ended. */
  takeUnmuted(): LoadedAlert[] {
    const unmuted = this.#unmuted
    this.#unmuted = []
    return unmuted
  }

  /** Alerts that were deleted. */
  takeGone(): LoadedAlert[] {
    const gone = this.#gone
    this.#gone = []
    return gone
  }

  /** Streams that an alert began to watch. */
  takeJoined(): JoinedStream[] {
    const joined = this.#joined
    this.#joined = []
    return joined
  }

  /** The state of an alert on a stream. */
  stateOf(ref: number, handle: number): StreamState {
    return this.#rows.get(ref)?.get(handle)?.state ?? OK_STATE
  }

  /** States that fire, of one alert. */
  *firing(ref: number): Generator<Omit<Reminder, 'loaded'>> {
    for (const [handle, { names, state }] of this.#rows.get(ref) ?? []) {
      if (state.state === 'FIRING') yield { handle: handle as StreamHandle, names, state }
    }
  }

  /** Takes in a state that the catalog keeps. */
  restore(loaded: LoadedAlert, handle: StreamHandle, state: StreamState): void {
    this.#rowsOf(loaded.ref).set(handle, { state, names: this.#namesOf(handle) })
  }

  /** Ends the state of a stream that was deleted while nothing was evaluated. */
  endGone(loaded: LoadedAlert, stored: StoredState): void {
    const { alertUid: _, streamUid, componentUid, ...before } = stored
    const next = afterEnd(before, 'deleted', this.#deps.now())
    if (next === undefined) return
    const names = { streamUid, componentUid, streamId: '', componentId: '' }
    // No handle is 0: the state is noted, and no stream has it.
    this.#rowsOf(loaded.ref).set(0, { state: before, names })
    this.note(loaded, 0 as StreamHandle, next)
    this.#rowsOf(loaded.ref).delete(0)
  }

  /** How many changes wait to be taken. */
  get changeCount(): number {
    return this.#changes.length
  }

  /** Sets the timers of all alerts, once all states are restored, or after the wall clock was set back. */
  armAll(): void {
    this.#timers.clear()
    this.#unarmed.clear()
    const { watches } = this.#deps
    for (const loaded of watches.all()) this.#armStates(loaded)
    // One walk over the streams for all alerts.
    for (const handle of watches.table.handles()) {
      for (const ref of watches.table.refsOf(handle)) {
        const loaded = watches.byRef(ref)
        if (loaded !== undefined) this.#armSilence(loaded, handle)
      }
    }
    this.#timersMax = 2 * this.#timers.count + OLD_TIMERS_MAX
  }

  onJoin(loaded: LoadedAlert, handle: StreamHandle, isNew: boolean): void {
    this.#joined.push({ handle, isNew })
    this.#armSilence(loaded, handle)
  }

  onLeave(ref: number, handle: StreamHandle, cause: LeaveCause): void {
    const loaded = this.#deps.watches.byRef(ref)
    const row = this.#rows.get(ref)?.get(handle)
    if (loaded !== undefined && row !== undefined) {
      const next = afterEnd(row.state, cause, this.#deps.now())
      if (next !== undefined) this.note(loaded, handle, next)
    }
    this.#rows.get(ref)?.delete(handle)
    this.#unarmed.get(ref)?.delete(handle)
  }

  onLoaded(loaded: LoadedAlert): void {
    // Timers of the version before mean nothing any more.
    this.#unarmed.delete(loaded.ref)
    this.#armStates(loaded)
    if (loaded.alert.silentForMs === 0) return
    for (const handle of this.#deps.watches.table.handles(loaded.ref)) {
      this.#armSilence(loaded, handle)
    }
  }

  onGone(loaded: LoadedAlert): void {
    this.#rows.delete(loaded.ref)
    this.#unarmed.delete(loaded.ref)
    this.#gone.push(loaded)
  }

  /** Notes the state that follows, with its event and the reason of its notice. */
  note(loaded: LoadedAlert, handle: StreamHandle, next: NextState): void {
    const { now, nextSequence } = this.#deps
    const rows = this.#rowsOf(loaded.ref)
    const row = rows.get(handle)
    const before = row?.state ?? OK_STATE
    const names = row?.names ?? this.#namesOf(handle)
    const atMs = now()
    const event = next.event && { uid: newOrderedUid(), cause: next.event }
    const { state: name } = next.state
    const begins = event !== undefined && name === 'FIRING'
    const isTold =
      event !== undefined &&
      !loaded.isMuted(atMs) &&
      (name === 'FIRING' ||
        (name === 'OK' && before.state === 'FIRING' && loaded.alert.notifyClear))
    const state: StreamState = {
      ...next.state,
      lastTime: this.#lastTimeOf(handle, next.state),
      eventUid: begins ? event.uid : next.state.eventUid,
      noticeMs: begins ? (isTold ? atMs : null) : next.state.noticeMs,
    }
    rows.set(handle, { state, names })
    const reason = isTold ? 'change' : undefined
    this.#changes.push({
      loaded,
      names,
      before,
      state,
      event,
      reason,
      sequence: nextSequence(),
      atMs,
    })
    if (event !== undefined) this.#armState(loaded, handle, state)
    if (before.state === 'FIRING' && name !== 'FIRING') this.#rearmSilence(loaded, handle)
  }

  /** Notes that channels get another notice about a state that fires. */
  remind(reminder: Reminder, reason: 'repeat' | 'unmuted', muteUid?: string): void {
    const { loaded, handle, names, state: before } = reminder
    const { now, nextSequence } = this.#deps
    const atMs = now()
    const state = { ...before, noticeMs: atMs, unmutedOf: muteUid ?? before.unmutedOf }
    this.#rowsOf(loaded.ref).set(handle, { state, names })
    const sequence = nextSequence()
    this.#changes.push({ loaded, names, before, state, event: undefined, reason, sequence, atMs })
    this.#armRepeat(loaded, handle, atMs)
  }

  /** Lets go of states that are OK and stored: their streams are as if they had never fired. */
  forgetOk(changes: readonly StateChange[], handleOf: (change: StateChange) => number): void {
    for (const change of changes) {
      const rows = this.#rows.get(change.loaded.ref)
      const handle = handleOf(change)
      if (rows?.get(handle)?.state.state === 'OK') rows.delete(handle)
    }
  }

  /** Lets go of a restored OK state once its stream was evaluated as far as the state was. */
  forgetOkOf(ref: number, handle: StreamHandle, lastTime: number): void {
    const rows = this.#rows.get(ref)
    const state = rows?.get(handle)?.state
    if (state?.state === 'OK' && (state.lastTime ?? lastTime) <= lastTime) rows?.delete(handle)
  }

  /** Lets a state no longer refer to the last sample of its stream, which was deleted. */
  forgetSample(ref: number, handle: StreamHandle): void {
    const loaded = this.#deps.watches.byRef(ref)
    const state = this.#rows.get(ref)?.get(handle)?.state
    if (loaded === undefined || state === undefined) return
    this.note(loaded, handle, { state: { ...state, sampleTime: null, value: null } })
  }

  /** Lets a state name another sample than the one that led to it; returns its change with that sample. */
  nameSample(
    change: StateChange,
    handle: StreamHandle,
    sample: Pick<StreamState, 'sampleTime' | 'value'>,
  ): StateChange {
    const state = { ...change.state, ...sample }
    const row = this.#rows.get(change.loaded.ref)?.get(handle)
    if (row?.state === change.state) row.state = state
    return { ...change, state }
  }

  /** Works off timers that are due, the earliest first, at most `countMax`. */
  runTimers(countMax: number): number {
    const nowMs = this.#deps.now()
    // A state that comes and goes leaves a timer each time.
    if (this.#timers.count > this.#timersMax) this.armAll()
    let count = 0
    for (; count < countMax; count += 1) {
      const timer = this.#timers.takeDue(nowMs)
      if (timer === undefined) break
      const loaded = this.#deps.watches.byRef(timer.ref)
      if (loaded === undefined || loaded.version !== timer.version) continue
      this.#run(loaded, timer, nowMs)
    }
    return count
  }

  #run(loaded: LoadedAlert, timer: Timer, nowMs: number): void {
    const { watches } = this.#deps
    if (timer.kind === TIMERS.unmute) {
      this.#unmuted.push(loaded)
      return
    }
    const handle = timer.handle as StreamHandle
    if (!watches.table.isWatchedBy(handle, loaded.ref) || !this.#deps.index.has(handle)) return
    const state = this.stateOf(loaded.ref, handle)
    switch (timer.kind) {
      case TIMERS.pending: {
        const isSame = timer.atMs === state.sinceMs + loaded.alert.forMs
        const next = isSame ? afterHolding(state, loaded.alert.forMs) : undefined
        if (next !== undefined) this.note(loaded, handle, next)
        return
      }
      case TIMERS.inactive:
        this.#runInactive(loaded, handle, timer.atMs)
        return
      case TIMERS.repeat:
        this.#runRepeat(loaded, handle, { state, nowMs })
        return
      case TIMERS.silence:
        this.#runSilence(loaded, handle, { atMs: timer.atMs, nowMs })
    }
  }

  /** Ends a state where its active time ends, unless another one begins at once. */
  #runInactive(loaded: LoadedAlert, handle: StreamHandle, atMs: number): void {
    const state = this.stateOf(loaded.ref, handle)
    // A timer of an earlier state may be left.
    if (state.state === 'OK' || state.sinceMs > atMs) return
    const period = this.#activeTimesOf(loaded, handle)?.periodOf(atMs)
    if (period !== undefined) {
      this.#add(TIMERS.inactive, loaded, { handle, atMs: period.until })
      return
    }
    const next = afterEnd(state, 'inactive', atMs)
    if (next !== undefined) this.note(loaded, handle, next)
  }

  #runRepeat(
    loaded: LoadedAlert,
    handle: StreamHandle,
    { state, nowMs }: { readonly state: StreamState; readonly nowMs: number },
  ): void {
    const { repeatMs } = loaded.alert
    if (state.state !== 'FIRING' || repeatMs === 0) return
    const dueMs = (state.noticeMs ?? state.sinceMs) + repeatMs
    if (dueMs > nowMs) this.#add(TIMERS.repeat, loaded, { handle, atMs: dueMs })
    else if (loaded.isMuted(nowMs)) this.#armRepeat(loaded, handle, nowMs)
    else this.#reminders.push({ loaded, handle, names: this.#namesOf(handle), state })
  }

  #runSilence(
    loaded: LoadedAlert,
    handle: StreamHandle,
    { atMs, nowMs }: { readonly atMs: number; readonly nowMs: number },
  ): void {
    const { alert, ref } = loaded
    const state = this.stateOf(ref, handle)
    const dueMs = this.#silentAtMs(loaded, handle)
    // Later timers that are due, too, come before it.
    if (dueMs > atMs) {
      this.#add(TIMERS.silence, loaded, { handle, atMs: dueMs })
      return
    }
    if (state.state === 'FIRING' || alert.silentForMs === 0) {
      this.#unarm(ref, handle)
      return
    }
    const times = this.#activeTimesOf(loaded, handle)
    const period = times?.periodOf(nowMs)
    if (times !== undefined && period === undefined) {
      const from = times.next(nowMs)?.from
      if (from === undefined) this.#unarm(ref, handle)
      else this.#add(TIMERS.silence, loaded, { handle, atMs: from })
      return
    }
    this.#unarm(ref, handle)
    const next = afterSilence(state, Math.max(dueMs, period?.from ?? dueMs))
    if (next !== undefined) this.note(loaded, handle, next)
  }

  /** When silence has lasted for long enough, if nothing arrives. */
  #silentAtMs({ alert }: LoadedAlert, handle: StreamHandle): number {
    const arrival = this.#deps.watches.table.arrivalOf(handle)
    return Math.max(arrival, alert.startedMs) + alert.silentForMs
  }

  #armStates(loaded: LoadedAlert): void {
    const { ref, context } = loaded
    const { mute } = context
    if (mute !== undefined && mute.untilMs !== null) {
      this.#add(TIMERS.unmute, loaded, { handle: 0, atMs: mute.untilMs })
    }
    for (const [handle, { state }] of this.#rows.get(ref) ?? []) {
      this.#armState(loaded, handle as StreamHandle, state)
    }
  }

  #armState(loaded: LoadedAlert, handle: StreamHandle, state: StreamState): void {
    const { alert } = loaded
    if (state.state === 'OK') return
    if (state.state === 'PENDING') {
      this.#add(TIMERS.pending, loaded, { handle, atMs: state.sinceMs + alert.forMs })
    } else {
      this.#armRepeat(loaded, handle, state.noticeMs ?? state.sinceMs)
    }
    const times = this.#activeTimesOf(loaded, handle)
    if (times === undefined) return
    const until = times.periodOf(this.#instantOf(handle, state.sinceMs))?.until ?? state.sinceMs
    this.#add(TIMERS.inactive, loaded, { handle, atMs: until })
  }

  #armRepeat(loaded: LoadedAlert, handle: StreamHandle, sinceMs: number): void {
    const { repeatMs } = loaded.alert
    if (repeatMs > 0) this.#add(TIMERS.repeat, loaded, { handle, atMs: sinceMs + repeatMs })
  }

  #armSilence(loaded: LoadedAlert, handle: StreamHandle): void {
    if (loaded.alert.silentForMs === 0) return
    const atMs = this.#silentAtMs(loaded, handle)
    this.#add(TIMERS.silence, loaded, { handle, atMs })
  }

  #unarm(ref: number, handle: StreamHandle): void {
    const unarmed = this.#unarmed.get(ref) ?? new Set()
    unarmed.add(handle)
    this.#unarmed.set(ref, unarmed)
  }

  #rearmSilence(loaded: LoadedAlert, handle: StreamHandle): void {
    if (this.#unarmed.get(loaded.ref)?.delete(handle) === true) this.#armSilence(loaded, handle)
  }

  #add(
    kind: Timer['kind'],
    { ref, version }: LoadedAlert,
    { handle, atMs }: { readonly handle: number; readonly atMs: number },
  ): void {
    this.#timers.add({ kind, ref, version, handle, atMs })
  }

  #activeTimesOf(loaded: LoadedAlert, handle: StreamHandle) {
    const { index } = this.#deps
    if (loaded.context.activeCycle === undefined || !index.has(handle)) return undefined
    return loaded.activeTimesIn(index.componentOf(handle).timeZone)
  }

  /** The instant that the time of a sample stands for: interval samples stand at the end of their interval. */
  #instantOf(handle: StreamHandle, time: number): number {
    return this.#deps.index.kindOf(handle) === INTERVAL ? time - 1 : time
  }

  #lastTimeOf(handle: StreamHandle, { sampleTime }: StreamState): number | null {
    const known = this.#deps.watches.table.lastTimeOf(handle)
    const last = Math.max(known, sampleTime ?? known)
    return Number.isFinite(last) ? last : null
  }

  #rowsOf(ref: number): Map<number, Row> {
    const known = this.#rows.get(ref)
    if (known !== undefined) return known
    const rows = new Map<number, Row>()
    this.#rows.set(ref, rows)
    return rows
  }

  #namesOf(handle: StreamHandle): StreamNames {
    const { index } = this.#deps
    const { uid: componentUid, compId: componentId } = index.componentOf(handle)
    const [streamUid, streamId] = [index.streamUid(handle), index.streamIdOf(handle)]
    return { streamUid, streamId, componentUid, componentId }
  }
}
