import { allowsEveryFeed, type Principal } from '../../access/index.ts'
import { inSlices, refusal } from '../../base/index.ts'
import type { StreamIndex } from '../../catalog/index.ts'
import {
  holdsValuesOf,
  INTERVAL,
  RANDOM,
  VALUE_CODE,
  VALUE_TYPES,
  type ValueType,
} from '../../catalog/shape/index.ts'
import type { StreamHandle } from '../../store/index.ts'
import { requireStream } from '../feed-rights.ts'
import {
  type IncomingSamples,
  VALUE_FALSE,
  VALUE_NULL,
  VALUE_NUMBER,
  VALUE_SPECIAL,
  VALUE_TEXT,
  VALUE_TRUE,
} from '../put/incoming-samples.ts'
import { placeTime, whyUnplaced } from '../put/place-samples.ts'
import { requireLiving } from '../put/prepare-put.ts'
import { baseCycleOf } from '../stream-facts.ts'
import { settleValue } from '../value/value-rules.ts'
import { type RefusedPoints, refusalOf } from './refused-points.ts'

const SHOWN = 'the feed of the stream of this series'

/** The type of the streams that a value alone makes. */
export function typeOfPoint(kind: number): ValueType {
  if (kind === VALUE_TEXT) return 'STRING'
  return kind === VALUE_TRUE || kind === VALUE_FALSE ? 'BOOLEAN' : 'DOUBLE'
}

/** Looks at each point of a stream that is there: whether the caller may put it, and whether the stream can keep it. */
export async function judgePoints(
  index: StreamIndex,
  principal: Principal,
  samples: IncomingSamples,
  refused: RefusedPoints,
): Promise<void> {
  const judge = new Judge(index, principal, samples, refused)
  await inSlices(samples.count, (from, until) => judge.look(from, until))
}

class Judge {
  readonly #index: StreamIndex
  readonly #principal: Principal
  readonly #samples: IncomingSamples
  readonly #refused: RefusedPoints
  readonly #allowed = new Map<number, ReturnType<typeof refusalOf>>()
  readonly #allowsAll: boolean

  constructor(
    index: StreamIndex,
    principal: Principal,
    samples: IncomingSamples,
    refused: RefusedPoints,
  ) {
    this.#index = index
    this.#principal = principal
    this.#samples = samples
    this.#refused = refused
    this.#allowsAll = allowsEveryFeed(principal, 'PUT')
  }

  look(from: number, until: number): void {
    const { handles, kinds } = this.#samples
    const refused = this.#refused
    const index = this.#index
    for (let at = from; at < until; at++) {
      const handle = handles[at]
      if (refused.has(at)) continue
      if (kinds[at] === VALUE_NULL) {
        this.#refused.leaveOut(at)
        continue
      }
      if (!this.#allowsAll && !this.#isAllowed(at, handle)) continue
      if (kinds[at] === VALUE_SPECIAL) {
        this.#lookAtSpecial(at, handle as StreamHandle)
        continue
      }
      const isPlain = index.valueCodeOf(handle) === VALUE_CODE.DOUBLE && kinds[at] === VALUE_NUMBER
      if (isPlain && index.kindOf(handle) === RANDOM && !index.isDerived(handle)) continue
      this.#lookClosely(at, handle as StreamHandle)
    }
  }

  #isAllowed(at: number, handle: number): boolean {
    let refusal = this.#allowed.get(handle)
    if (!this.#allowed.has(handle)) {
      requireLiving(this.#index, handle as StreamHandle)
      const use = { method: 'PUT', shown: SHOWN } as const
      refusal = refusalOf(() => {
        requireStream(this.#index, this.#principal, handle as StreamHandle, use)
      })
      this.#allowed.set(handle, refusal)
    }
    if (refusal !== undefined) this.#refused.add(at, refusal)
    return refusal === undefined
  }

  /** Special values of streams with intervals, or with one sample, would have no place among their numbers. */
  #lookAtSpecial(at: number, handle: StreamHandle): void {
    requireLiving(this.#index, handle)
    const mistake = this.#findMistake(at, handle)
    if (mistake !== undefined) this.#refused.add(at, refusal('bad_input', { what: mistake }))
    else if (this.#index.kindOf(handle) !== RANDOM) this.#refused.leaveOut(at)
  }

  #lookClosely(at: number, handle: StreamHandle): void {
    const index = this.#index
    const samples = this.#samples
    requireLiving(index, handle)
    const mistake = this.#findMistake(at, handle)
    if (mistake !== undefined) {
      this.#refused.add(at, refusal('bad_input', { what: mistake }))
      return
    }
    const type = VALUE_TYPES[index.valueCodeOf(handle)]
    const failed = type === '' ? undefined : refusalOf(() => settleValue(samples, at, type))
    if (failed !== undefined) this.#refused.add(at, failed)
  }

  #findMistake(at: number, handle: StreamHandle): string | undefined {
    const index = this.#index
    const shown = `Stream ${JSON.stringify(index.streamIdOf(handle))}`
    if (index.isDerived(handle)) return `${shown} is derived by an expression`
    const type = VALUE_TYPES[index.valueCodeOf(handle)]
    const given = typeOfPoint(this.#samples.kinds[at])
    if (!holdsValuesOf(type, given)) return `${shown} holds ${type}, and the point is a ${given}`
    const time = this.#samples.times[at]
    if (index.kindOf(handle) !== INTERVAL || Number.isNaN(time)) return undefined
    const cycle = baseCycleOf(index, handle)
    return placeTime(cycle, time) === undefined
      ? `The point ${whyUnplaced(cycle, time)}`
      : undefined
  }
}
