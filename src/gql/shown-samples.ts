import type { EpochMs } from '../base/index.ts'
import type { ExpressionValue } from '../expression/index.ts'
import { looksLikeSeconds, secondsWarnings } from '../feed/put/index.ts'
import type { GqlSample } from './gql-run.ts'

/** Samples that a dry run returns, and the characters of their texts. */
const SHOWN_MAX = 1_000
const SHOWN_CHARACTERS_MAX = 1_000_000

/** The first samples that a dry run would store. */
export class ShownSamples {
  readonly list: GqlSample[] = []
  readonly #now: EpochMs
  /** How many samples without a time each stream has had. */
  readonly #timeless = new Map<string, number>()
  #characters = 0

  /** With the time that a NULL time stands for. */
  constructor(now: EpochMs) {
    this.#now = now
  }

  /** Adds a sample, while there is room for it; a NaN time is NULL. */
  add(row: {
    readonly cid: string
    readonly id: string
    readonly time: number
    readonly value: ExpressionValue
  }): void {
    const { cid, id, value } = row
    if (this.list.length >= SHOWN_MAX || this.#characters > SHOWN_CHARACTERS_MAX) return
    if (typeof value === 'string') this.#characters += value.length
    const time = Number.isNaN(row.time) ? this.#timeFor(cid, id) : row.time
    this.list.push({ cid, id, time, sample: typeof value === 'bigint' ? String(value) : value })
  }

  /** What the caller should hear of these samples. */
  get warnings(): readonly string[] {
    const seconds = this.list.filter(({ time }) => looksLikeSeconds(time))
    const streams = Map.groupBy(seconds, streamOf).values()
    return secondsWarnings(
      [...streams].map(([{ cid, id, time }]) => ({ compId: cid, streamId: id, time })),
    )
  }

  #timeFor(cid: string, id: string): number {
    const stream = streamOf({ cid, id })
    const before = this.#timeless.get(stream) ?? 0
    this.#timeless.set(stream, before + 1)
    return this.#now + before
  }
}

function streamOf({ cid, id }: Pick<GqlSample, 'cid' | 'id'>): string {
  return JSON.stringify([cid, id])
}
