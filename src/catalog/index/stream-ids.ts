import { randomInt } from 'node:crypto'
import { growColumn } from '../../base/index.ts'
import type { PackedId } from '../../store/index.ts'
import type { DefinitionOrder } from './definition-order.ts'
import { RefTables } from './ref-tables.ts'
import { TextNumbers } from './text-numbers.ts'

/** Streams of one component up to which the ID is looked for among all of them; no table has them. */
const FEW = 16

/** The IDs of streams by handle, and the way back within a component. Streams share the texts of their IDs. */
export class StreamIds {
  readonly #texts = new TextNumbers()
  /** By component and ID, the streams of components that have more than a few. */
  readonly #table = new RefTables()
  readonly #order: DefinitionOrder
  readonly #componentOf: (handle: number) => number
  #numbers = new Uint32Array(1024)
  #expectedComponents = 0

  /** `order` has the streams of components. */
  constructor(order: DefinitionOrder, componentOf: (handle: number) => number) {
    this.#order = order
    this.#componentOf = componentOf
  }

  /** Makes room for so many at once; components are told before streams. */
  reserve(counts: { readonly components?: number; readonly streams?: number }): void {
    const { streams = 0 } = counts
    this.#expectedComponents = counts.components ?? this.#expectedComponents
    this.#numbers = growColumn(this.#numbers, streams + 1)
    // Where components have many streams, most are in the table.
    if (streams > this.#expectedComponents * FEW) this.#table.reserve(streams)
  }

  /** The stream with an ID in a component, 0 when there is none; a blank ID names none. */
  find(component: number, streamId: string): number {
    const number = this.#texts.find(streamId)
    if (number === 0) return 0
    if (this.#order.countOf(component) <= FEW) return this.#findAmongFew(component, number)
    const hash = hashOf(component, number)
    const table = this.#table.of(hash)
    const { cells } = table
    for (let at = table.homeOf(hash); cells[at] !== 0; at = table.after(at)) {
      if (cells[at + 1] !== hash || this.#numbers[cells[at]] !== number) continue
      if (this.#componentOf(cells[at]) === component) return cells[at]
    }
    return 0
  }

  idOf(handle: number): string {
    return this.#texts.textOf(this.#numbers[handle])
  }

  /** Whether a stream has an ID. */
  has(handle: number, streamId: string): boolean {
    return this.#texts.has(this.#numbers[handle], streamId)
  }

  /** Gives an ID to a stream that its component has just got. */
  add(handle: number, component: number, streamId: string): void {
    if (handle >= this.#numbers.length) this.#numbers = growColumn(this.#numbers, handle + 1)
    this.#numbers[handle] = this.#texts.take(streamId)
    const count = this.#order.countOf(component)
    if (count === FEW + 1) this.#enterAll(component)
    else if (count > FEW) this.#enter(handle, component)
  }

  /** As add, with the number of the ID, for millions at once; to be followed by settle(). */
  load(handle: number, component: number, number: number): void {
    if (handle >= this.#numbers.length) this.#numbers = growColumn(this.#numbers, handle + 1)
    this.#numbers[handle] = number
    const count = this.#order.countOf(component)
    if (count === FEW + 1) this.#enterAll(component)
    else if (count > FEW && number !== 0) this.#table.addLater(handle, hashOf(component, number))
  }

  /** The number of an ID that begins with a text, for a load. */
  numberOf(start: string, { text, bytes, from, until }: PackedId): number {
    if (start === '' && text === undefined) return this.#texts.takeBytes(bytes, from, until)
    return this.#texts.take(start + (text ?? bytes.toString('latin1', from, until)))
  }

  /** The same number for one stream more. */
  numberAgain(number: number): number {
    return this.#texts.takeAgain(number)
  }

  /** Ends a load. */
  settle(): void {
    this.#table.settle()
  }

  /** Gives another ID to a stream. */
  change(handle: number, component: number, streamId: string): void {
    const isEntered = this.#order.countOf(component) > FEW
    if (isEntered) this.#take(handle, component)
    this.#texts.release(this.#numbers[handle])
    this.#numbers[handle] = this.#texts.take(streamId)
    if (isEntered) this.#enter(handle, component)
  }

  /** Forgets the ID of a stream that its component is about to lose. */
  delete(handle: number, component: number): void {
    const count = this.#order.countOf(component)
    if (count === FEW + 1) this.#takeAll(component)
    else if (count > FEW) this.#take(handle, component)
    this.#forget(handle)
  }

  /** Forgets the IDs of all streams of a component, which it is about to lose. */
  deleteAll(component: number): void {
    if (this.#order.countOf(component) > FEW) this.#takeAll(component)
    const order = this.#order
    for (let handle = order.firstOf(component); handle !== 0; handle = order.nextOf(handle)) {
      this.#forget(handle)
    }
  }

  #findAmongFew(component: number, number: number): number {
    let handle = this.#order.firstOf(component)
    while (handle !== 0 && this.#numbers[handle] !== number) handle = this.#order.nextOf(handle)
    return handle
  }

  #forget(handle: number): void {
    this.#texts.release(this.#numbers[handle])
    this.#numbers[handle] = 0
  }

  #enterAll(component: number): void {
    const order = this.#order
    for (let handle = order.firstOf(component); handle !== 0; handle = order.nextOf(handle)) {
      this.#enter(handle, component)
    }
  }

  #enter(handle: number, component: number): void {
    const number = this.#numbers[handle]
    if (number !== 0) this.#table.add(handle, hashOf(component, number))
  }

  #takeAll(component: number): void {
    const order = this.#order
    for (let handle = order.firstOf(component); handle !== 0; handle = order.nextOf(handle)) {
      this.#take(handle, component)
    }
  }

  #take(handle: number, component: number): void {
    const number = this.#numbers[handle]
    if (number !== 0) this.#table.delete(handle, hashOf(component, number))
  }
}

/** Another in every process, so that nobody can choose IDs that all fall into one slot. */
const SEED = randomInt(2 ** 31)

function hashOf(component: number, number: number): number {
  const mixed = Math.imul(component ^ SEED, 0x9e3779b1) ^ Math.imul(number, 0x85ebca6b)
  const last = Math.imul(mixed ^ (mixed >>> 15), 0xc2b2ae35)
  return (last ^ (last >>> 16)) >>> 0
}
