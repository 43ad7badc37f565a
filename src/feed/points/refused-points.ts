import { type ErrorCode, Refusal } from '../../base/index.ts'
import type { IncomingSamples } from '../put/incoming-samples.ts'

/** A point that was not stored. */
interface RefusedPoint {
  /** Its place among the samples as they came. */
  readonly index: number
  readonly reason: string
}

/** How many rejected points a reply lists. The others are only counted. */
const REFUSED_MAX = 1_000

/** The points of a call that are refused, each for a reason of its own. */
export class RefusedPoints {
  readonly list: RefusedPoint[] = []
  /** Also those that are not listed one by one. */
  count = 0
  /** Those of them that the caller may not put. */
  forbiddenCount = 0
  /** How many there are of each reason, by its code. */
  readonly countByCode = new Map<ErrorCode, number>()
  /** 1 for a sample that is not to be stored; undefined while all are. */
  isOut: Uint8Array | undefined
  readonly #sampleCount: number

  constructor(samples: IncomingSamples) {
    this.#sampleCount = samples.count
  }

  /** Whether a sample is not to be stored. */
  has(index: number): boolean {
    return this.isOut !== undefined && this.isOut[index] === 1
  }

  /** Refuses a point, unless it is out already. */
  add(index: number, { code, message }: Refusal): void {
    if (this.has(index)) return
    this.leaveOut(index)
    this.count += 1
    if (code === 'forbidden') this.forbiddenCount += 1
    this.countByCode.set(code, (this.countByCode.get(code) ?? 0) + 1)
    if (this.list.length < REFUSED_MAX) this.list.push({ index, reason: message })
  }

  addAll(indexes: readonly number[], refusal: Refusal): void {
    for (const index of indexes) this.add(index, refusal)
  }

  /** Leaves a point out that need not be stored. */
  leaveOut(index: number): void {
    this.isOut ??= new Uint8Array(this.#sampleCount)
    this.isOut[index] = 1
  }
}

/** The refusal that some work ends with; undefined where it does not. Anything else that is thrown goes on. */
export function refusalOf(work: () => void): Refusal | undefined {
  try {
    work()
    return undefined
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
}
