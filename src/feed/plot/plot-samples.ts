import { intervalOf } from '../../time/index.ts'
import type { GetDeps } from '../get/get-feed.ts'
import type { PlotColumn } from './plot.ts'
import { type PlotStream, type SampleRange, showText, visitPages } from './plot-stream.ts'

/** Samples of one stream as they grow, with texts only where there are any. */
class GrowingSamples {
  readonly times: number[] = []
  readonly numbers: number[] = []
  readonly texts: (string | undefined)[] = []
  hasTexts = false
}

/** The samples of a range as they are, when there are at most `points`; undefined: there are more. */
export async function plotSamples(
  deps: GetDeps,
  stream: PlotStream,
  range: SampleRange,
  points: number,
): Promise<PlotColumn[] | undefined> {
  const found = new GrowingSamples()
  await visitPages(deps, stream, { ...range, limit: points + 1 }, ({ count, ...page }) => {
    for (let at = 0; at < count; at++) {
      const [time, text] = [page.times[at], page.texts?.[at]]
      found.times.push(time)
      found.numbers.push(page.numbers[at])
      found.texts.push(text === undefined ? text : showText(deps, stream, { text, time }))
      found.hasTexts ||= text !== undefined
    }
    return true
  })
  const { times, numbers, hasTexts } = found
  if (times.length > points) return undefined
  const texts = hasTexts ? found.texts : undefined
  const value = { name: 'value', numbers, texts, isBoolean: stream.kind === 'boolean' }
  const { cycle } = stream
  if (cycle === undefined) return [{ name: 'time', numbers: times }, value]
  const starts = times.map((end) => intervalOf(cycle, end)?.from ?? end)
  return [{ name: 'start', numbers: starts }, { name: 'time', numbers: times }, value]
}
