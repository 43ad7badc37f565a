/** How much may wait: in all, and of one owner. */
interface QueueLimits {
  readonly total: number
  readonly perOwner: number
}

/** Items that wait, by owner, so that many items of one delay no other. */
export class CallQueue<T> {
  readonly #limits: QueueLimits
  readonly #byOwner = new Map<string, T[]>()
  #count = 0

  constructor(limits: QueueLimits) {
    this.#limits = limits
  }

  get count(): number {
    return this.#count
  }

  /** Adds an item; false when there is no room for it. */
  push(owner: string, item: T): boolean {
    const items = this.#byOwner.get(owner)
    const { total, perOwner } = this.#limits
    if (this.#count >= total || (items?.length ?? 0) >= perOwner) return false
    if (items === undefined) this.#byOwner.set(owner, [item])
    else items.push(item)
    this.#count += 1
    return true
  }

  /** The first item of the owner with the lowest cost, among those that may go. Owners of equal cost take turns. */
  shift(mayGo: (owner: string) => boolean, costOf: (owner: string) => number): T | undefined {
    let next: { readonly owner: string; readonly items: T[]; readonly cost: number } | undefined
    for (const [owner, items] of this.#byOwner) {
      if (!mayGo(owner)) continue
      const cost = costOf(owner)
      if (next === undefined || cost < next.cost) next = { owner, items, cost }
    }
    if (next === undefined) return undefined
    const { owner, items } = next
    const item = items.shift()
    this.#count -= 1
    this.#byOwner.delete(owner)
    if (items.length > 0) this.#byOwner.set(owner, items)
    return item
  }

  /** Takes an item out of its turn; false when it is not there. */
  remove(owner: string, item: T): boolean {
    const items = this.#byOwner.get(owner) ?? []
    const at = items.indexOf(item)
    if (at < 0) return false
    items.splice(at, 1)
    if (items.length === 0) this.#byOwner.delete(owner)
    this.#count -= 1
    return true
  }

  /** Every item that waits. */
  *[Symbol.iterator](): Generator<T> {
    for (const items of this.#byOwner.values()) yield* items
  }

  /** Takes all items out. */
  clear(): T[] {
    const all = [...this]
    this.#byOwner.clear()
    this.#count = 0
    return all
  }
}
