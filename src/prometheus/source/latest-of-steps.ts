import type { SampleSteps } from '../../promql/plain.ts'

/** Ascending samples in memory that nobody else uses. */
interface OwnSamples {
  readonly count: number
  readonly times: Float64Array
  readonly values: Float64Array
}

/**
 * Moves the last sample of each step to the front, with the bits of its value. Returns how many there are. The time of
 * the last sample of all stays where it is.
 */
export function keepLatestOfSteps(
  { count, times, values }: OwnSamples,
  { start, stepMs }: SampleSteps,
): number {
  const words = new Uint32Array(values.buffer, values.byteOffset, 2 * values.length)
  let kept = 0
  for (let at = 0; at < count; kept++) {
    let step = Math.ceil((times[at] - start) / stepMs)
    // The quotient is rounded, and the engine compares times.
    while (start + step * stepMs < times[at]) step += 1
    while (start + (step - 1) * stepMs >= times[at]) step -= 1
    const end = start + step * stepMs
    at += 1
    while (at < count && times[at] <= end) at += 1
    times[kept] = times[at - 1]
    words[2 * kept] = words[2 * at - 2]
    words[2 * kept + 1] = words[2 * at - 1]
  }
  return kept
}
