import type { Principal } from '../../access/index.ts'
import type { StreamHandle } from '../../store/index.ts'
import { addDue, type Due } from './live-due.ts'
import type { LiveForm, LiveFrame } from './live-reader.ts'
import type { LiveSelection, SelectedStreams } from './live-selection.ts'
import type { LiveStream } from './live-streams.ts'

/** Where a listener is reached. */
export interface LiveSink {
  /** Whether all that was sent has left: nothing is sent to who has not taken what came before. */
  readonly isFree: boolean
  /** Bytes that were sent and have not left. */
  readonly unsentBytes: number
  /** Called once, before anything is sent. */
  begin(): void
  /** Sends a text; calls back once it has left, or never will. */
  send(text: string, onLeft: () => void): void
  /** Sends the last text and ends; a client that does not read is cut off. */
  end(text: string): void
}

/** Who wants to hear what, and where. */
export interface LiveCall {
  readonly principal: Principal
  readonly selection: LiveSelection
  readonly form: LiveForm
  /** Whether to send components and folders of the organization that change. */
  readonly wantsCatalog: boolean
  /** The cursor up to which the listener has heard all. */
  readonly since: string | undefined
  /** Names the user or key, for limits. */
  readonly credentialName: string
  /** The network of its address. */
  readonly network: string
  readonly sink: LiveSink
  /** The caller as of this moment; `isTimed`: also when only time has passed. Refuses one whose rights ended. */
  renew(isTimed: boolean): Promise<Principal>
  /** Called with the number of samples of a component that were sent. */
  onSent(component: { readonly uid: string; readonly compId: string }, samples: number): void
}

/** Components that one event names; of more it says that there are more. */
const NEWS_COMPONENTS_MAX = 100

/** A client that follows streams, with the changes it has not received. */
export class LiveListener {
  readonly call: LiveCall
  principal: Principal
  readonly streams = new Map<StreamHandle, LiveStream>()
  readonly dues = new Map<StreamHandle, Due>()
  /** Samples sent of each stream since they were counted up. */
  readonly sent = new Map<StreamHandle, number>()
  selected: SelectedStreams
  sentAtMs: number
  isOver = false
  #missing = new Set<string>()
  /** Those of the missing that are to be sent. */
  #unsent: string[] = []
  #components = new Set<string>()
  #hasFolders = false
  #hasAlerts = false

  constructor(call: LiveCall, selected: SelectedStreams, nowMs: number) {
    this.call = call
    this.principal = call.principal
    this.selected = selected
    this.sentAtMs = nowMs
    this.setSelected(selected)
  }

  /** Takes over what is there of the selection; what is missing besides is sent. */
  setSelected(selected: SelectedStreams): void {
    this.selected = selected
    const missing = new Set(
      selected.missing.map(({ component, stream }) =>
        JSON.stringify({
          compId: component.id,
          compUid: component.uid,
          streamId: stream?.id,
          streamUid: stream?.uid,
        }),
      ),
    )
    if (!missing.isSubsetOf(this.#missing)) this.#unsent = [...missing]
    this.#missing = missing
  }

  owe(handle: StreamHandle, due: Due): void {
    this.dues.set(handle, addDue(this.dues.get(handle), due))
  }

  /** Owes what is left of what was owed before all that came since. */
  oweRest(handle: StreamHandle, rest: Due): void {
    if (!this.streams.has(handle)) return
    const later = this.dues.get(handle)
    this.dues.set(handle, later === undefined ? rest : addDue(rest, later))
  }

  /** Notes changes of the catalog, to be sent. */
  noteCatalog(
    componentUids: Iterable<string>,
    { hasFolders, hasAlerts }: { readonly hasFolders: boolean; readonly hasAlerts: boolean },
  ): void {
    this.#hasFolders ||= hasFolders
    this.#hasAlerts ||= hasAlerts
    for (const uid of componentUids) {
      if (this.#components.size > NEWS_COMPONENTS_MAX) return
      this.#components.add(uid)
    }
  }

  /** Whether there is something to send. */
  get isOwed(): boolean {
    return this.dues.size > 0 || this.#unsent.length > 0 || this.#hasNews
  }

  get #hasNews(): boolean {
    return this.#components.size > 0 || this.#hasFolders || this.#hasAlerts
  }

  /** The next event that is not about samples; undefined: there is none. */
  takeNotice(frame: LiveFrame): string | undefined {
    const missing = this.#unsent.shift()
    if (missing !== undefined) return frame('missing', missing)
    if (!this.#hasNews) return undefined
    const components = [...this.#components].slice(0, NEWS_COMPONENTS_MAX)
    const isMore = this.#components.size > NEWS_COMPONENTS_MAX
    const data = { components, isMore, hasFolders: this.#hasFolders, hasAlerts: this.#hasAlerts }
    this.#components.clear()
    this.#hasFolders = false
    this.#hasAlerts = false
    return frame('catalog', JSON.stringify(data))
  }
}
