/**
 * Orders on their way to the writer's thread as one flat array: structured clones of objects would cost more
 * than writing what they say. A shape crosses once and is named by a number after that.
 */
import { headUidOf } from '../../../../base/plain.ts'
import type { CatalogLimit } from '../../../catalog-port.ts'
import type {
  Fleet,
  PackedFleet,
  PackedOrder,
  PackedPart,
  WriteOrder,
} from '../catalog-protocol.ts'
import type { Shaped } from './shape.ts'

const PLAIN = 0
const PACKED = 1
const SCOPE = 2
const ANY_REVISION = -1
/** Where a packed order tells how many numbers follow. */
const COUNT_AT = 6
/** Shapes that both sides remember; then they begin again. */
const SHAPES_MAX = 20_000
/** Texts of limits that are remembered, of an organization each. */
const LIMITS_MAX = 1_000

/** Flattens orders; one for all parts that a thread is sent. */
export class PartWriter {
  readonly #numbers = new Map<string, number>()

  write(orders: readonly WriteOrder[]): PackedPart {
    const values: unknown[] = []
    const shapes: (number | string)[] = []
    const isFresh = this.#numbers.size > SHAPES_MAX
    if (isFresh) this.#numbers.clear()
    let orgUid: string | undefined
    for (const order of orders) {
      if (!('packed' in order) || order.mayUseReserve || order.revision !== undefined) {
        values.push(PLAIN, order)
        continue
      }
      if (order.orgUid !== orgUid) values.push(SCOPE, order.orgUid)
      orgUid = order.orgUid
      this.#push(order, values, shapes)
    }
    return { values, shapes, isFresh }
  }

  /** Patterns as a fleet is sent with them, and shapes of them that are named for the first time. */
  numberPatterns(patterns: readonly Pick<Shaped, 'shape' | 'numbers'>[]): {
    readonly numbers: readonly number[]
    readonly shapes: readonly (number | string)[]
    readonly isFresh: boolean
  } {
    const shapes: (number | string)[] = []
    const isFresh = this.#numbers.size > SHAPES_MAX
    if (isFresh) this.#numbers.clear()
    const numbers: number[] = []
    for (const { shape, numbers: own } of patterns) {
      numbers.push(this.#numberOf(shape, shapes), own.length)
      for (const number of own) numbers.push(number)
    }
    return { numbers, shapes, isFresh }
  }

  #numberOf(shape: string, shapes: (number | string)[]): number {
    const known = this.#numbers.get(shape)
    if (known !== undefined) return known
    const number = this.#numbers.size
    this.#numbers.set(shape, number)
    shapes.push(number, shape)
    return number
  }

  #push(order: PackedOrder, values: unknown[], shapes: (number | string)[]): void {
    const { uid, expectedRevision, packed } = order
    const number = this.#numberOf(packed.shape, shapes)
    const revision = expectedRevision === 'any' ? ANY_REVISION : expectedRevision
    const isHead = order.parentUid === ''
    values.push(PACKED, uid, isHead, number, revision, packed.id, packed.numbers.length)
    for (const own of packed.numbers) values.push(own)
  }
}

/** Reads what a PartWriter wrote, parts in their order. */
export class PartReader {
  #shapes: string[] = []
  readonly #limits = new Map<string, readonly CatalogLimit[]>()

  /** The fleet of what packFleet() wrote, with its shapes. */
  readFleet(packed: PackedFleet): Fleet {
    const [orgUid, firstNumber, tails, ids, layout, numbers, shapes, isFresh] = packed
    this.#learn(shapes, isFresh)
    const patterns: Fleet['patterns'][number][] = []
    for (let at = 0; at < numbers.length; at += 2 + numbers[at + 1]) {
      const count = numbers[at + 1]
      const own = count === 0 ? NONE : numbers.slice(at + 2, at + 2 + count)
      patterns.push({ shape: this.#shapes[numbers[at]], numbers: own })
    }
    return { orgUid, firstNumber, tails, ids, layout, patterns }
  }

  /** Limits that were sent as JSON. */
  readLimits(text: string): readonly CatalogLimit[] {
    const known = this.#limits.get(text)
    if (known !== undefined) return known
    if (this.#limits.size >= LIMITS_MAX) this.#limits.clear()
    const limits = JSON.parse(text) as readonly CatalogLimit[]
    this.#limits.set(text, limits)
    return limits
  }

  #learn(shapes: readonly (number | string)[], isFresh: boolean): void {
    if (isFresh) this.#shapes = []
    for (let at = 0; at < shapes.length; at += 2) {
      this.#shapes[shapes[at] as number] = shapes[at + 1] as string
    }
  }

  read({ values, shapes, isFresh }: PackedPart): WriteOrder[] {
    this.#learn(shapes, isFresh)
    const orders: WriteOrder[] = []
    let orgUid = ''
    for (let at = 0; at < values.length; ) {
      const code = values[at]
      if (code === PACKED) {
        const count = values[at + COUNT_AT] as number
        orders.push(this.#packed(values, at, { orgUid, count }))
        at += COUNT_AT + 1 + count
        continue
      }
      if (code === PLAIN) orders.push(values[at + 1] as WriteOrder)
      else orgUid = values[at + 1] as string
      at += 2
    }
    return orders
  }

  #packed(
    values: readonly unknown[],
    at: number,
    { orgUid, count }: { orgUid: string; count: number },
  ): PackedOrder {
    const uid = values[at + 1] as string
    const isHead = values[at + 2] as boolean
    const revision = values[at + 4] as number
    const first = at + COUNT_AT + 1
    return {
      op: 'put',
      orgUid,
      kind: isHead ? 'component' : 'stream',
      uid,
      parentUid: isHead ? '' : headUidOf(uid),
      expectedRevision: revision === ANY_REVISION ? 'any' : revision,
      mayUseReserve: false,
      packed: {
        shape: this.#shapes[values[at + 3] as number],
        id: values[at + 5] as string,
        numbers: count === 0 ? NONE : (values.slice(first, first + count) as number[]),
      },
    }
  }
}

const NONE: readonly number[] = []
