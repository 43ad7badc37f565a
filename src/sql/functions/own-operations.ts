/** What statements ask of values beside expressions: counts of rows, times of samples. */
import type { Operation } from '../../expression/index.ts'

/** LIMIT and OFFSET: a whole number from 0. */
export const rowCount: Operation = {
  name: 'row_count',
  gives: 'LONG',
  value: (run, value) => {
    const count = Number(value)
    if (Number.isSafeInteger(count) && count >= 0) return count
    return run.fail(`Expected an integer of at least 0, got ${String(value).slice(0, 40)}`)
  },
}

/** The time of a sample: epoch ms as a whole number or as the text of one. */
export const sampleTime: Operation = {
  name: 'sample_time',
  gives: 'LONG',
  value: (run, value) => {
    const text = String(value).trim()
    const time = typeof value === 'string' && !/^-?\d{1,16}$/.test(text) ? Number.NaN : Number(text)
    if (Number.isInteger(time)) return time
    if (Number.isFinite(time)) {
      return run.fail(
        `TIME must be integer epoch milliseconds, got ${text.slice(0, 40)}. Truncate with CAST(… AS LONG)`,
      )
    }
    const shown = JSON.stringify(text.slice(0, 40))
    return run.fail(
      `TIME must be epoch milliseconds, got the text ${shown}. Convert with TOEPOCHMILLIS`,
    )
  },
}
