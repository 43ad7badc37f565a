/** The series of a view, as its address names them. */

import type { CycleChoice } from '../../state/cycle-choice.ts'
import { EARLIER, type Earlier } from '../../state/earlier.ts'

/** A stream, a period earlier, or a statistic of it. */
export interface SeriesName {
  readonly componentUid: string
  readonly streamUid: string
  readonly earlier?: Earlier
  /** Instead of what the whole view shows. */
  readonly cycle?: CycleChoice
}

const NAME = /^([^.~]+)\.([^.~]+)(?:~(?:(day|week|month|year)|by\.([^.]+)\.([a-z]+)))?$/

/** Reads `component.stream`, `component.stream~week`, or `component.stream~by.hour.avg`. */
export function readSeriesName(text: string): SeriesName | undefined {
  const found = NAME.exec(text)
  if (found === null) return undefined
  const [, componentUid, streamUid, period, cycleId, stat] = found
  const earlier = EARLIER.find((one) => one === period)
  const cycle = cycleId === undefined ? undefined : { cycle: decode(cycleId), stat }
  return { componentUid, streamUid, earlier, cycle }
}

/** The same as a text; IDs of cycles may have any character. */
export function writeSeriesName({ componentUid, streamUid, earlier, cycle }: SeriesName): string {
  const stream = `${componentUid}.${streamUid}`
  if (earlier !== undefined) return `${stream}~${earlier}`
  if (cycle === undefined) return stream
  const id = encodeURIComponent(cycle.cycle).replaceAll('.', '%2E').replaceAll('~', '%7E')
  return `${stream}~by.${id}.${cycle.stat}`
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
