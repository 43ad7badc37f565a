/** Events at moments of a chart, and which of them lie too close for a mark of their own. */
import type { TimeRange } from './time-range.ts'

/** Something that began or ended at a moment. */
export interface ChartMark {
  readonly key: string
  readonly time: number
  readonly isStart: boolean
  /** What happened, in a word. */
  readonly state: string
  readonly name: string
  /** More about it; may be blank. */
  readonly about: string
  /** The address of its page. */
  readonly to: string
}

/** The events of a chart. */
export interface ChartMarks {
  /** What they are, for screen readers. */
  readonly label: string
  readonly marks: readonly ChartMark[]
  /** What is missing of them; blank: nothing. */
  readonly note: string
}

/** Events that share a mark, in the order of their times. */
export interface MarkGroup {
  readonly marks: readonly ChartMark[]
  /** The middle of the group, in pixels from the left of the plot. */
  readonly x: number
}

/** Marks are at least this far apart, in pixels: so far that each can be touched. */
const SPACE = 26

/** The marks in a range, each with the events around it. There are no more than fit side by side. */
export function groupsOf(
  marks: readonly ChartMark[],
  { from, until }: TimeRange,
  width: number,
): MarkGroup[] {
  const xOf = (time: number) => ((time - from) / (until - from)) * width
  const seen = marks
    .filter(({ time }) => time >= from && time < until)
    .sort((one, other) => one.time - other.time)
  const groups: ChartMark[][] = []
  for (const mark of seen) {
    const group = groups.at(-1)
    const isNear = group !== undefined && xOf(mark.time) - xOf(group[0].time) < SPACE
    if (isNear) group.push(mark)
    else groups.push([mark])
  }
  return groups.map((group) => ({
    marks: group,
    x: (xOf(group[0].time) + xOf(group[group.length - 1].time)) / 2,
  }))
}
