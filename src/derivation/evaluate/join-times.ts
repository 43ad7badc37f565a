import type { SourceSamples } from './source-samples.ts'

/** Times at which something is evaluated, and what each source has there. */
export interface JoinedTimes {
  readonly times: Float64Array
  /** For each source the index of its latest sample at or before each time; -1: none. */
  readonly positions: readonly Int32Array[]
}

interface Bounds {
  readonly from: number
  readonly until: number
}

/** The times at which every source has a sample, ascending. */
export function intersectTimes(
  sources: readonly SourceSamples[],
  { from, until }: Bounds,
): JoinedTimes {
  const room = Math.min(...sources.map(({ count, history }) => count - history))
  const times = new Float64Array(room)
  const positions = sources.map(() => new Int32Array(room))
  const at = sources.map(({ history }) => history)
  let length = 0
  let time = from
  for (;;) {
    let equal = 0
    for (let which = 0; which < sources.length; which++) {
      const { times: own, count } = sources[which]
      let index = at[which]
      while (index < count && own[index] < time) index += 1
      at[which] = index
      if (index >= count) return cut({ times, positions }, length)
      if (own[index] === time) equal += 1
      else {
        time = own[index]
        equal = 1
      }
    }
    if (time >= until) return cut({ times, positions }, length)
    // A source that moved on has to be met by those before it, which the next round sees to.
    if (equal < sources.length) continue
    times[length] = time
    for (let which = 0; which < sources.length; which++) positions[which][length] = at[which]
    length += 1
    time += 1
  }
}

/** The times at which any source has a sample, ascending. */
export function uniteTimes(
  sources: readonly SourceSamples[],
  { from, until }: Bounds,
): JoinedTimes {
  const room = sources.reduce((sum, { count, history }) => sum + count - history, 0)
  const times = new Float64Array(room)
  const positions = sources.map(() => new Int32Array(room))
  const at = sources.map(({ times: own, count, history }) => {
    let index = history
    while (index < count && own[index] < from) index += 1
    return index
  })
  let length = 0
  for (;;) {
    let time = until
    for (let which = 0; which < sources.length; which++) {
      const { times: own, count } = sources[which]
      if (at[which] < count && own[at[which]] < time) time = own[at[which]]
    }
    if (time >= until) return cut({ times, positions }, length)
    times[length] = time
    for (let which = 0; which < sources.length; which++) {
      const { times: own, count } = sources[which]
      if (at[which] < count && own[at[which]] === time) at[which] += 1
      positions[which][length] = at[which] - 1
    }
    length += 1
  }
}

function cut({ times, positions }: JoinedTimes, length: number): JoinedTimes {
  return {
    times: times.subarray(0, length),
    positions: positions.map((column) => column.subarray(0, length)),
  }
}
