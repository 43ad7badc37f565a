import { growColumn } from '../../base/index.ts'

/**
 * The streams of each component in definition order, as chains through typed columns: a component
 * with one stream costs no array.
 */
export class DefinitionOrder {
  #first = new Uint32Array(1024)
  #last = new Uint32Array(1024)
  #counts = new Uint32Array(1024)
  #next = new Uint32Array(1024)
  /** Components whose chain is sorted when next looked at: a bulk load then sorts once. */
  readonly #unsorted = new Set<number>()
  readonly #compare: (a: number, b: number) => number

  /** `compare` orders two handles of one component. */
  constructor(compare: (a: number, b: number) => number) {
    this.#compare = compare
  }

  /** Makes room for so many at once. */
  reserve(counts: { readonly components?: number; readonly streams?: number }): void {
    this.#widen((counts.components ?? 0) + 1)
    this.#next = growColumn(this.#next, (counts.streams ?? 0) + 1)
  }

  add(component: number, handle: number): void {
    this.#widen(component + 1)
    if (handle >= this.#next.length) this.#next = growColumn(this.#next, handle + 1)
    const last = this.#last[component]
    this.#counts[component] += 1
    this.#next[handle] = 0
    if (last === 0) this.#first[component] = handle
    else this.#next[last] = handle
    this.#last[component] = handle
    if (last === 0 || this.#unsorted.has(component)) return
    if (this.#compare(last, handle) > 0) this.#unsorted.add(component)
  }

  /** The columns of components have one length. */
  #widen(length: number): void {
    if (length <= this.#first.length) return
    this.#first = growColumn(this.#first, length)
    this.#last = growColumn(this.#last, length)
    this.#counts = growColumn(this.#counts, length)
  }

  delete(component: number, handle: number): void {
    this.#chain(
      component,
      this.handlesOf(component).filter((other) => other !== handle),
    )
  }

  /** Says that orders within a component have changed. */
  touch(component: number): void {
    this.#unsorted.add(component)
  }

  clear(component: number): void {
    this.#unsorted.delete(component)
    this.#chain(component, [])
  }

  handlesOf(component: number): number[] {
    if (!this.#unsorted.delete(component)) return this.#walk(component)
    const sorted = this.#walk(component).sort(this.#compare)
    this.#chain(component, sorted)
    return sorted
  }

  #walk(component: number): number[] {
    const handles: number[] = []
    if (component >= this.#first.length) return handles
    for (let handle = this.#first[component]; handle !== 0; handle = this.#next[handle]) {
      handles.push(handle)
    }
    return handles
  }

  /** A stream of a component from which nextOf() tells all others, in no order; 0 when it has none. */
  firstOf(component: number): number {
    return this.#first[component] ?? 0
  }

  /** The stream of the same component after one, 0 after the last. */
  nextOf(handle: number): number {
    return this.#next[handle]
  }

  countOf(component: number): number {
    return this.#counts[component] ?? 0
  }

  /** The last stream of a component, 0 when it has none. */
  lastOf(component: number): number {
    if (this.#unsorted.has(component)) return this.handlesOf(component).at(-1) ?? 0
    return this.#last[component] ?? 0
  }

  #chain(component: number, handles: readonly number[]): void {
    if (component >= this.#first.length) return
    this.#first[component] = handles[0] ?? 0
    this.#last[component] = handles.at(-1) ?? 0
    this.#counts[component] = handles.length
    handles.forEach((handle, index) => {
      this.#next[handle] = handles[index + 1] ?? 0
    })
  }
}
