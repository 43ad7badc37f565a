import { randomInt } from 'node:crypto'
import { growColumn } from '../../base/index.ts'
import { RefTables } from './ref-tables.ts'
import { TextNumbers } from './text-columns.ts'

/** Streams of one component up to which an ID is looked for among all of them; no table has them. */
const FEW = 16

/** What chains need to know of a stream. */
interface ChainedStreams {
  /** The component of a stream, 0 when it has none. */
  componentOf(handle: number): number
  /** Orders two streams of one component. */
  compare(a: number, b: number): number
}

/**
 * The streams of each component, in definition order and by their IDs. They are chained through typed columns: a
 * component with one stream costs no array. Streams share the texts of their IDs.
 */
export class ComponentChains {
  #first = new Uint32Array(1024)
  #last = new Uint32Array(1024)
  #counts = new Uint32Array(1024)
  #next = new Uint32Array(1024)
  /** The numbers of IDs, by handle. */
  #ids = new Uint32Array(1024)
  /** Components whose chain is sorted when next looked at: a load then sorts once. */
  readonly #unsorted = new Set<number>()
  readonly #texts = new TextNumbers()
  /** By component and ID, the streams of components that are entered. */
  readonly #table = new RefTables()
  /** 1: the streams of the component are in the table. They enter when one of more than a few is looked for. */
  #isEntered = new Uint8Array(1024)
  readonly #streams: ChainedStreams

  constructor(streams: ChainedStreams) {
    this.#streams = streams
  }

  /** Grows the columns once, before many entries are added. */
  reserve(counts: { readonly components: number; readonly streams: number }): void {
    const { components, streams } = counts
    this.#widen(components + 1)
    this.#next = growColumn(this.#next, streams + 1)
    this.#ids = growColumn(this.#ids, streams + 1)
  }

  /** Adds a stream at the end. */
  add(component: number, handle: number, streamId: string): void {
    this.load(component, handle, this.#texts.take(streamId))
  }

  /** As add, with the number that a text has by numberOf(). */
  load(component: number, handle: number, id: number): void {
    this.#append(component, handle, id)
    if (this.#isEntered[component] === 1) this.#enter(handle, component)
  }

  /** The number of an ID for one stream more. */
  numberOf(streamId: string): number {
    return this.#texts.take(streamId)
  }

  /** The same number for one stream more. */
  numberAgain(id: number): number {
    return this.#texts.takeAgain(id)
  }

  idOf(handle: number): string {
    return this.#texts.textOf(this.#ids[handle])
  }

  /** Whether a stream has an ID. */
  hasId(handle: number, streamId: string): boolean {
    return this.#texts.has(this.#ids[handle], streamId)
  }

  /** The stream with an ID in a component, 0 when there is none; a blank ID names none. */
  find(component: number, streamId: string): number {
    const id = this.#texts.find(streamId)
    if (id === 0) return 0
    if (this.countOf(component) <= FEW) return this.#findAmongFew(component, id)
    if (this.#isEntered[component] === 0) this.#enterAll(component)
    const hash = hashOf(component, id)
    const table = this.#table.of(hash)
    const { cells } = table
    for (let at = table.homeOf(hash); cells[at] !== 0; at = table.after(at)) {
      if (cells[at + 1] !== hash || this.#ids[cells[at]] !== id) continue
      if (this.#streams.componentOf(cells[at]) === component) return cells[at]
    }
    return 0
  }

  /** Gives another ID to a stream. */
  changeId(component: number, handle: number, streamId: string): void {
    const isEntered = this.#isEntered[component] === 1
    if (isEntered) this.#remove(handle, component)
    this.#texts.release(this.#ids[handle])
    this.#ids[handle] = this.#texts.take(streamId)
    if (isEntered) this.#enter(handle, component)
  }

  /** Says that orders within a component have changed. */
  touch(component: number): void {
    this.#unsorted.add(component)
  }

  delete(component: number, handle: number): void {
    if (this.#isEntered[component] === 1) this.#remove(handle, component)
    this.#forgetId(handle)
    const others = this.handlesOf(component).filter((other) => other !== handle)
    this.#chain(component, others)
  }

  /** Deletes all streams of a component; their handles in definition order. */
  deleteAll(component: number): readonly number[] {
    const handles = this.handlesOf(component)
    if (this.#isEntered[component] === 1) this.#removeAll(component)
    for (const handle of handles) this.#forgetId(handle)
    this.#chain(component, [])
    return handles
  }

  /** In definition order. */
  handlesOf(component: number): number[] {
    if (!this.#unsorted.delete(component)) return this.#walk(component)
    const sorted = this.#walk(component).sort((a, b) => this.#streams.compare(a, b))
    this.#chain(component, sorted)
    return sorted
  }

  countOf(component: number): number {
    return this.#counts[component] ?? 0
  }

  /** The last stream of a component, 0 when it has none. */
  lastOf(component: number): number {
    if (this.#unsorted.has(component)) return this.handlesOf(component).at(-1) ?? 0
    return this.#last[component] ?? 0
  }

  #append(component: number, handle: number, id: number): void {
    this.#widen(component + 1)
    if (handle >= this.#next.length) {
      this.#next = growColumn(this.#next, handle + 1)
      this.#ids = growColumn(this.#ids, handle + 1)
    }
    const last = this.#last[component]
    this.#counts[component] += 1
    this.#next[handle] = 0
    this.#ids[handle] = id
    if (last === 0) this.#first[component] = handle
    else this.#next[last] = handle
    this.#last[component] = handle
    if (last === 0 || this.#unsorted.has(component)) return
    if (this.#streams.compare(last, handle) > 0) this.#unsorted.add(component)
  }

  /** The columns of components have one length. */
  #widen(length: number): void {
    if (length <= this.#first.length) return
    this.#first = growColumn(this.#first, length)
    this.#last = growColumn(this.#last, length)
    this.#counts = growColumn(this.#counts, length)
    this.#isEntered = growColumn(this.#isEntered, length)
  }

  #walk(component: number): number[] {
    const handles: number[] = []
    if (component >= this.#first.length) return handles
    for (let handle = this.#first[component]; handle !== 0; handle = this.#next[handle]) {
      handles.push(handle)
    }
    return handles
  }

  #chain(component: number, handles: readonly number[]): void {
    if (component >= this.#first.length) return
    this.#first[component] = handles[0] ?? 0
    this.#last[component] = handles.at(-1) ?? 0
    this.#counts[component] = handles.length
    handles.forEach((handle, at) => {
      this.#next[handle] = handles[at + 1] ?? 0
    })
  }

  #findAmongFew(component: number, id: number): number {
    let handle = this.#first[component] ?? 0
    while (handle !== 0 && this.#ids[handle] !== id) handle = this.#next[handle]
    return handle
  }

  #forgetId(handle: number): void {
    this.#texts.release(this.#ids[handle])
    this.#ids[handle] = 0
  }

  #enterAll(component: number): void {
    this.#isEntered[component] = 1
    for (let handle = this.#first[component]; handle !== 0; handle = this.#next[handle]) {
      this.#enter(handle, component)
    }
  }

  #enter(handle: number, component: number): void {
    const id = this.#ids[handle]
    if (id !== 0) this.#table.add(handle, hashOf(component, id))
  }

  #removeAll(component: number): void {
    this.#isEntered[component] = 0
    for (let handle = this.#first[component]; handle !== 0; handle = this.#next[handle]) {
      this.#remove(handle, component)
    }
  }

  #remove(handle: number, component: number): void {
    const id = this.#ids[handle]
    if (id !== 0) this.#table.delete(handle, hashOf(component, id))
  }
}

/** Another in every process, so that nobody can choose IDs that all fall into one slot. */
const SEED = randomInt(2 ** 31)

function hashOf(component: number, id: number): number {
  const mixed = Math.imul(component ^ SEED, 0x9e3779b1) ^ Math.imul(id, 0x85ebca6b)
  const last = Math.imul(mixed ^ (mixed >>> 15), 0xc2b2ae35)
  return (last ^ (last >>> 16)) >>> 0
}
