import type { StoredStream, StreamHandle } from '../../store/index.ts'
import type { StreamIndex } from '../index/stream-index.ts'
import type { Derivation } from '../shape/derivation-shape.ts'
import { VALUE_CODE } from '../shape/value-type.ts'

type NotedStream = Pick<StoredStream, 'orgUid' | 'revision' | 'handle' | 'more'>

interface DerivedStream {
  readonly revision: number
  readonly sources: readonly StreamHandle[]
  readonly followsCorrections: boolean
}

/** A derived stream whose sources may be of a commit that is not all in the index yet. */
interface OpenStream {
  readonly orgUid: string
  readonly revision: number
  readonly sourceUids: ReadonlySet<string>
  readonly isAny: boolean
  readonly followsCorrections: boolean
}

const NONE: readonly StreamHandle[] = []

/**
 * Which streams are derived from which, by handle, as the catalog's streams say. What is noted counts from the
 * next settle() on, when the streams of its commit are in the index.
 */
export class DerivationEdges {
  readonly #derived = new Map<StreamHandle, DerivedStream>()
  readonly #dependents = new Map<StreamHandle, Set<StreamHandle>>()
  readonly #open = new Map<StreamHandle, OpenStream>()
  /** Streams with the trigger ANY that do not follow corrections. */
  readonly #revising = new Set<StreamHandle>()
  #revised: { readonly generation: number; readonly handles: ReadonlySet<StreamHandle> } | undefined
  /** Sources that were saved since the last settle(). */
  readonly #savedSources = new Set<StreamHandle>()
  readonly #sourceListeners: ((source: StreamHandle) => void)[] = []
  readonly #untypedListeners: ((derived: StreamHandle) => void)[] = []
  #generation = 0

  /** Calls a listener with every stream that others begin to be derived from, before the save is answered. */
  onSource(listener: (source: StreamHandle) => void): void {
    this.#sourceListeners.push(listener)
  }

  /**
   * Calls a listener with a derived stream without a type whose sources may now determine it.
   */
  onUntyped(listener: (derived: StreamHandle) => void): void {
    this.#untypedListeners.push(listener)
  }

  /** Moves whenever anything of a derived stream may have changed. */
  get generation(): number {
    return this.#generation
  }

  get isEmpty(): boolean {
    return this.#dependents.size === 0
  }

  /** Whether streams are derived from this one. */
  hasDependents(handle: StreamHandle): boolean {
    return this.#dependents.has(handle)
  }

  dependentsOf(handle: StreamHandle): readonly StreamHandle[] {
    const dependents = this.#dependents.get(handle)
    return dependents === undefined ? NONE : [...dependents]
  }

  /** The streams that one is derived from and that are there, each once. */
  sourcesOf(derived: StreamHandle): readonly StreamHandle[] {
    return this.#derived.get(derived)?.sources ?? NONE
  }

  /** A derived stream as it was committed last, and what it reads; undefined for others, and while that is not settled. */
  committed(
    handle: StreamHandle,
  ): { readonly revision: number; readonly sources: readonly StreamHandle[] } | undefined {
    return this.#open.has(handle) ? undefined : this.#derived.get(handle)
  }

  /**
   * Whether appends alone change results that a stream has: with ANY a source that lags behind others makes another
   * of what was derived without it. So do streams derived from such a one, as far as none of them follows corrections.
   */
  isRevised(derived: StreamHandle): boolean {
    if (this.#revising.size === 0) return false
    if (this.#revised?.generation !== this.#generation) {
      this.#revised = { generation: this.#generation, handles: this.#findRevised() }
    }
    return this.#revised.handles.has(derived)
  }

  #findRevised(): ReadonlySet<StreamHandle> {
    const found = new Set(this.#revising)
    // A set hands out what is added while it is walked.
    for (const handle of found) {
      for (const derived of this.#dependents.get(handle) ?? []) {
        if (this.#derived.get(derived)?.followsCorrections === false) found.add(derived)
      }
    }
    return found
  }

  /** Every stream from which others are derived. */
  sources(): StreamHandle[] {
    return [...this.#dependents.keys()]
  }

  /** Every derived stream. */
  derived(): StreamHandle[] {
    return [...this.#derived.keys()]
  }

  /** Notes a stream as it was committed; most are not derived, and cost a look. */
  note({ orgUid, revision, handle, more }: NotedStream): void {
    if (this.#dependents.has(handle)) this.#savedSources.add(handle)
    const known = this.#open.get(handle) ?? this.#derived.get(handle)
    const derivation = more.derivation as unknown as Derivation | null | undefined
    if (derivation == null && known === undefined) return
    // Commits may be followed in another order than they were made.
    if (known !== undefined && known.revision > revision) return
    const sourceUids = new Set((derivation?.variables ?? []).map(({ streamUid }) => streamUid))
    const isAny = derivation?.trigger === 'ANY'
    const followsCorrections = derivation?.followsCorrections === true
    this.#open.set(handle, { orgUid, revision, sourceUids, isAny, followsCorrections })
  }

  /**
   * Lets what was noted count. Sources that are not in the index are gone when it `isWhole`; while others
   * are on their way into it, they are looked for again the next time.
   */
  settle(index: StreamIndex, isWhole: boolean): void {
    if (this.#open.size > 0) {
      for (const [handle, stream] of this.#open) {
        const isFound = this.#place(index, handle, stream)
        if (isFound || isWhole) this.#open.delete(handle)
        this.#notifyUntyped(index, handle)
      }
      this.#generation += 1
    }
    for (const source of this.#savedSources) {
      for (const derived of this.dependentsOf(source)) this.#notifyUntyped(index, derived)
    }
    this.#savedSources.clear()
  }

  #notifyUntyped(index: StreamIndex, derived: StreamHandle): void {
    const isTyped = (handle: StreamHandle) => index.valueCodeOf(handle) !== VALUE_CODE.NONE
    if (!index.has(derived) || isTyped(derived)) return
    if (!this.sourcesOf(derived).some(isTyped)) return
    for (const notify of this.#untypedListeners) notify(derived)
  }

  /** Draws the edges of a stream; false when some of its sources are not in the index. */
  #place(index: StreamIndex, handle: StreamHandle, stream: OpenStream): boolean {
    const { orgUid, revision, sourceUids, isAny, followsCorrections } = stream
    this.#cut(handle)
    if (!index.has(handle)) return false
    if (sourceUids.size === 0) return true
    const sources: StreamHandle[] = []
    for (const uid of sourceUids) {
      // One that damage has lost is not there either.
      const source = index.hasLivingUid(uid) ? index.streamByUid(orgUid, uid) : 0
      if (source !== 0) sources.push(source)
    }
    this.#derived.set(handle, { revision, sources, followsCorrections })
    if (isAny && !followsCorrections) this.#revising.add(handle)
    for (const source of sources) {
      const dependents = this.#dependents.get(source)
      this.#dependents.set(source, (dependents ?? new Set()).add(handle))
      if (dependents === undefined) for (const notify of this.#sourceListeners) notify(source)
    }
    return sources.length === sourceUids.size
  }

  /** Forgets a stream that is gone. */
  delete(handle: StreamHandle): void {
    this.#open.delete(handle)
    this.#savedSources.delete(handle)
    if (!this.#derived.has(handle) && !this.#dependents.has(handle)) return
    this.#cut(handle)
    for (const derived of this.dependentsOf(handle)) {
      const known = this.#derived.get(derived)
      if (known === undefined) continue
      const sources = known.sources.filter((source) => source !== handle)
      this.#derived.set(derived, { ...known, sources })
    }
    this.#dependents.delete(handle)
    this.#generation += 1
  }

  #cut(derived: StreamHandle): void {
    for (const source of this.sourcesOf(derived)) {
      const dependents = this.#dependents.get(source)
      dependents?.delete(derived)
      if (dependents?.size === 0) this.#dependents.delete(source)
    }
    this.#derived.delete(derived)
    this.#revising.delete(derived)
  }
}
