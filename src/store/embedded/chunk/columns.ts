import { countBelow } from '../../../base/plain.ts'
import type { SampleColumns } from '../../ports/sample-port.ts'

/** Columns without a sample. */
export const emptyColumns: SampleColumns = {
  count: 0,
  times: new Float64Array(0),
  numbers: new Float64Array(0),
}

/** The samples start ≤ index < end, sharing memory with their source. */
export function sliceColumns(columns: SampleColumns, start: number, end: number): SampleColumns {
  if (start === 0 && end === columns.count) return columns
  return {
    count: end - start,
    times: columns.times.subarray(start, end),
    numbers: columns.numbers.subarray(start, end),
    texts: columns.texts?.slice(start, end),
  }
}

/** The samples from ≤ time < until, sharing memory with their source. */
export function cutColumns(columns: SampleColumns, from: number, until: number): SampleColumns {
  const start = countBelow(columns.times, from, columns.count)
  const end = countBelow(columns.times, until, columns.count)
  return sliceColumns(columns, start, Math.max(start, end))
}

/** Whether two columns hold the same samples to the last bit; the number beside a text counts for nothing. */
export function areSameColumns(left: SampleColumns, right: SampleColumns): boolean {
  const { count, times, numbers, texts } = left
  if (right.count !== count) return false
  for (let index = 0; index < count; index++) {
    if (times[index] !== right.times[index]) return false
  }
  const isNumeric = texts === undefined && right.texts === undefined
  for (let index = 0; index < count; index++) {
    const text = isNumeric ? undefined : texts?.[index]
    if (!isNumeric && text !== right.texts?.[index]) return false
    // Object.is: -0 is another value than 0.
    if (text === undefined && !Object.is(numbers[index], right.numbers[index])) return false
  }
  return true
}

/** Columns one after the other; the caller knows that their times ascend. */
export function concatColumns(parts: readonly SampleColumns[]): SampleColumns {
  const filled = parts.filter((part) => part.count > 0)
  if (filled.length <= 1) return filled[0] ?? emptyColumns
  const count = filled.reduce((sum, part) => sum + part.count, 0)
  const times = new Float64Array(count)
  const numbers = new Float64Array(count)
  const hasTexts = filled.some((part) => part.texts !== undefined)
  const texts = hasTexts ? new Array<string | undefined>(count).fill(undefined) : undefined
  let at = 0
  for (const part of filled) {
    times.set(part.times.subarray(0, part.count), at)
    numbers.set(part.numbers.subarray(0, part.count), at)
    if (texts !== undefined && part.texts !== undefined) {
      for (let index = 0; index < part.count; index++) texts[at + index] = part.texts[index]
    }
    at += part.count
  }
  return { count, times, numbers, texts }
}

/**
 * One column of ascending times out of several, each ascending by itself: of samples at the same
 * time the one of the earliest list wins. Lists that do not overlap are only joined.
 */
export function mergeColumns(newestFirst: readonly SampleColumns[]): SampleColumns {
  const filled = newestFirst.filter((part) => part.count > 0)
  const inOrder = [...filled].sort((left, right) => left.times[0] - right.times[0])
  const isDisjoint = inOrder.every(
    (part, index) => index === 0 || lastTimeOf(inOrder[index - 1]) < part.times[0],
  )
  if (isDisjoint) return concatColumns(inOrder)
  // Halving keeps the work at n log k whatever the number of lists.
  const half = filled.length >>> 1
  const newer = mergeColumns(filled.slice(0, half))
  const older = mergeColumns(filled.slice(half))
  return mergeTwo(newer, older)
}

function lastTimeOf(columns: SampleColumns): number {
  return columns.times[columns.count - 1]
}

function mergeTwo(newer: SampleColumns, older: SampleColumns): SampleColumns {
  const countMax = newer.count + older.count
  const times = new Float64Array(countMax)
  const numbers = new Float64Array(countMax)
  const hasTexts = newer.texts !== undefined || older.texts !== undefined
  const texts = hasTexts ? new Array<string | undefined>(countMax).fill(undefined) : undefined
  let count = 0
  let newerAt = 0
  let olderAt = 0
  while (newerAt < newer.count || olderAt < older.count) {
    const newerTime = newerAt < newer.count ? newer.times[newerAt] : Number.POSITIVE_INFINITY
    const olderTime = olderAt < older.count ? older.times[olderAt] : Number.POSITIVE_INFINITY
    const source = newerTime <= olderTime ? newer : older
    const at = newerTime <= olderTime ? newerAt : olderAt
    times[count] = source.times[at]
    numbers[count] = source.numbers[at]
    if (texts !== undefined) texts[count] = source.texts?.[at]
    if (newerTime <= olderTime) newerAt++
    if (olderTime <= newerTime) olderAt++
    count++
  }
  if (texts !== undefined) texts.length = count
  return { count, times: times.subarray(0, count), numbers: numbers.subarray(0, count), texts }
}
