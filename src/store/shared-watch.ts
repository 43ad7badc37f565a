import type { SampleStore, StreamHandle } from './ports/sample-port.ts'

/**
 * Views of one store for parts that watch streams without knowledge of each other. The store watches what any of them
 * watches. In a folder it watches those of the run before until all parts have named their streams. In a cluster, parts
 * run in different processes, so that one of them need not wait for the others.
 */
export class SharedWatch {
  readonly #store: SampleStore
  /** What each part has named last, and what it has added since. */
  readonly #lists = new Map<string, readonly StreamHandle[]>()
  readonly #added = new Map<string, Set<StreamHandle>>()
  readonly #named = new Set<string>()
  readonly #isShared: boolean

  /**
   * `owners` are the parts that name their streams once this process watches for them. `isShared` says that other
   * processes may run some of them.
   */
  constructor(store: SampleStore, owners: readonly string[], isShared: boolean) {
    this.#store = store
    this.#isShared = isShared
    for (const owner of owners) this.#lists.set(owner, [])
  }

  /** The store for one of the parts: what it watches takes nothing from the others. */
  viewFor(owner: string): SampleStore {
    const store = this.#store
    const view: SampleStore = Object.create(store)
    return Object.assign(view, {
      watch: (handles: readonly StreamHandle[]) => this.#watch(owner, handles),
      watchAlso: (handle: StreamHandle) => this.#watchAlso(owner, handle),
    })
  }

  /** Whether all parts that this process runs have named their streams. */
  get #isComplete(): boolean {
    return this.#isShared || this.#named.size === this.#lists.size
  }

  async #watch(owner: string, handles: readonly StreamHandle[]): Promise<void> {
    this.#lists.set(owner, handles)
    this.#added.delete(owner)
    this.#named.add(owner)
    // The store looks for what a killed process has left when it learns of a stream by watch().
    if (!this.#isComplete) return
    const all = new Set<StreamHandle>()
    for (const some of [...this.#lists.values(), ...this.#added.values()]) {
      for (const handle of some) all.add(handle)
    }
    await this.#store.watch([...all])
  }

  #watchAlso(owner: string, handle: StreamHandle): void {
    const added = this.#added.get(owner) ?? new Set()
    this.#added.set(owner, added.add(handle))
    if (this.#isComplete) this.#store.watchAlso(handle)
  }
}
