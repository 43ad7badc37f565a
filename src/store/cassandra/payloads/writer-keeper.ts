/** Keeps the lease of a writing process, and looks for processes that are gone. */
import type { Clock } from '../../../base/index.ts'
import type { PayloadBounds, PayloadKey } from '../../payload-port.ts'
import { Renewal } from '../../renewal.ts'
import type { Cluster } from '../connection/cluster.ts'
import { Leases } from '../lease/leases.ts'
import { hasLeft, readLeft } from './left-payloads.ts'
import { PayloadWriters } from './payload-writers.ts'
import { WritingProcess } from './writing-process.ts'

/** What was taken over and could not be run is told again after so many looks. */
const LOOKS_PER_REMINDER = 12

/** Payloads that are told at a time. */
const LEFT_MAX = 1_000

interface WriterKeeperDeps {
  readonly cluster: Cluster
  readonly clock: Clock
  readonly bounds: PayloadBounds
}

/** The process that writes, and what it has taken over of others. */
export class WriterKeeper {
  readonly #deps: WriterKeeperDeps
  readonly #writers: PayloadWriters
  readonly #listeners: Array<(left: readonly PayloadKey[]) => void> = []
  #process: WritingProcess
  #renewals: Renewal[] = []
  #looks = 0

  constructor(deps: WriterKeeperDeps) {
    this.#deps = deps
    this.#writers = new PayloadWriters({ ...deps, leases: new Leases(deps.cluster) })
    this.#process = new WritingProcess(deps)
  }

  /** The process under the id that it writes as. */
  get process(): WritingProcess {
    return this.#process
  }

  /** Begins to write, and takes over what processes that are gone have left. */
  async open(): Promise<void> {
    await this.#writers.begin(this.#process.writer)
    await this.#takeOver()
    // By itself: what others have left may take long to look through, and a lease is over meanwhile.
    this.#renewals = [new Renewal(() => this.renew()), new Renewal(() => this.look())]
  }

  /** Refuses when another process may be at work for a writer. */
  require(writer: string): void {
    this.#writers.require(writer)
  }

  /** Tells a listener when something was taken over. */
  watchLeft(listener: (left: readonly PayloadKey[]) => void): void {
    this.#listeners.push(listener)
  }

  /** Payloads without an outcome of this process and of those that are gone. */
  async listUnsettled(after: string, limit: number): Promise<PayloadKey[]> {
    const keys = [...this.#process.unsettled.values()].map(({ key }) => key)
    return await this.#addLeft(keys, { after, limit })
  }

  /** Renews the leases; goes on under another id when its own was taken over. */
  async renew(): Promise<void> {
    const lost = await this.#writers.renew()
    if (lost.includes(this.#process.writer)) await this.#beginAnew()
  }

  /** Takes over what processes that are gone have left. */
  async look(): Promise<void> {
    const hasTaken = await this.#takeOver()
    this.#looks += 1
    const isTime = hasTaken || this.#looks % LOOKS_PER_REMINDER === 0
    if (!isTime) return
    await this.#endEmpty()
    const left = await this.#addLeft([], { after: '', limit: LEFT_MAX })
    if (left.length > 0) for (const listener of this.#listeners) listener(left)
  }

  /** Lets go of all, so that others can take over what is left. */
  async close(): Promise<void> {
    await Promise.all(this.#renewals.map((renewal) => renewal.close()))
    await this.#process.pages.close()
    const { unsettled, writer } = this.#process
    if (unsettled.size === 0) await this.#writers.end(writer)
    for (const held of this.#writers.held()) await this.#writers.release(held)
  }

  async #beginAnew(): Promise<void> {
    const process = new WritingProcess(this.#deps)
    await this.#writers.begin(process.writer)
    const { pages } = this.#process
    this.#process = process
    await pages.close()
  }

  /** Takes over what is left; true when there is any. */
  async #takeOver(): Promise<boolean> {
    const taken = await this.#writers.takeOver()
    if (taken.length > 0) await this.#endEmpty()
    return taken.length > 0
  }

  /** The oldest of some payloads and of those that processes which are gone have left. */
  async #addLeft(
    keys: readonly PayloadKey[],
    page: { readonly after: string; readonly limit: number },
  ): Promise<PayloadKey[]> {
    const { bounds, cluster } = this.#deps
    let found = firstOf(keys, page.after, page.limit)
    for (const writer of this.#takenOver()) {
      for await (const left of readLeft(cluster, writer, bounds)) {
        found = firstOf([...found, ...left], page.after, page.limit)
      }
    }
    return found
  }

  /** Ends the writers that have left nothing. */
  async #endEmpty(): Promise<void> {
    const { bounds, cluster } = this.#deps
    for (const writer of this.#takenOver()) {
      if (!(await hasLeft(cluster, writer, bounds))) await this.#writers.end(writer)
    }
  }

  #takenOver(): string[] {
    return this.#writers.held().filter((writer) => writer !== this.#process.writer)
  }
}

function firstOf(keys: readonly PayloadKey[], after: string, limit: number): PayloadKey[] {
  return keys
    .filter(({ uid }) => uid > after)
    .sort((a, b) => (a.uid < b.uid ? -1 : 1))
    .slice(0, limit)
}
