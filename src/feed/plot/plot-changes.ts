import type { GetDeps } from '../get/get-feed.ts'
import type { PlotColumn } from './plot.ts'
import { TEXTS_SCANNED_MAX } from './plot-spans.ts'
import { type PlotStream, type SampleRange, showText, visitPages } from './plot-stream.ts'

interface Change {
  readonly time: number
  readonly text: string
  end: number
  count: number
}

/**
 * Where the texts of a range change, one entry for neighbours that are the same; undefined when there
 * are more than `points`, or more samples than are read for it.
 */
export async function plotChanges(
  deps: GetDeps,
  stream: PlotStream,
  range: SampleRange,
  points: number,
): Promise<PlotColumn[] | undefined> {
  const changes: Change[] = []
  let samples = 0
  const limit = TEXTS_SCANNED_MAX + 1
  await visitPages(deps, stream, { ...range, limit }, ({ count, times, numbers, texts }) => {
    samples += count
    for (let at = 0; at < count; at++) {
      const text = texts?.[at] ?? String(numbers[at])
      const last = changes.at(-1)
      if (last?.text === text) {
        last.end = times[at]
        last.count += 1
      } else changes.push({ time: times[at], end: times[at], text, count: 1 })
      if (changes.length > points) return false
    }
    return true
  })
  if (changes.length > points || samples > TEXTS_SCANNED_MAX) return undefined
  const texts = changes.map(({ text, time }) => showText(deps, stream, { text, time }))
  return [
    { name: 'time', numbers: changes.map(({ time }) => time) },
    { name: 'end', numbers: changes.map(({ end }) => end) },
    { name: 'count', numbers: changes.map(({ count }) => count) },
    { name: 'value', numbers: changes.map(() => Number.NaN), texts },
  ]
}
