import { nextTurn } from '../../base/index.ts'

/** Samples looked at before other calls get a turn: a few milliseconds of the slowest kind. */
export const SAMPLES_PER_SLICE = 16_384

/** What looking at one stream costs, counted in samples. */
export const STREAM_WORK = 16

/**
 * Does `work` for every index below `count`, in slices with turns of the event loop between them.
 * Undefined: one slice was enough, and all is done.
 */
export function inSlices(
  count: number,
  work: (from: number, until: number) => void,
): Promise<void> | undefined {
  if (count > SAMPLES_PER_SLICE) return workInSlices(count, work)
  work(0, count)
  return undefined
}

async function workInSlices(
  count: number,
  work: (from: number, until: number) => void,
): Promise<void> {
  for (let from = 0; from < count; from += SAMPLES_PER_SLICE) {
    if (from > 0) await nextTurn()
    work(from, Math.min(count, from + SAMPLES_PER_SLICE))
  }
}

/** Gives other calls a turn whenever many small pieces of work add up to a slice. */
export class SliceBudget {
  #done = 0

  /** To be awaited after a piece of work on so many samples. */
  spend(samples: number): Promise<void> | undefined {
    this.#done += samples
    if (this.#done < SAMPLES_PER_SLICE) return undefined
    this.#done = 0
    return nextTurn()
  }
}
