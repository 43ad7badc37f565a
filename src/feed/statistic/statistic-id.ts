import { refuse } from '../../base/index.ts'
import { STATISTIC_IDS, type StatisticId } from '../../catalog/shape/index.ts'

export { STATISTIC_IDS, type StatisticId } from '../../catalog/shape/index.ts'

/** Reads a statistic's name from a path; refuses an unknown one with the list of those there are. */
export function readStatisticId(text: string): StatisticId {
  const id = STATISTIC_IDS.find((known) => known === text)
  if (id === undefined) {
    refuse('stat_not_found', {
      what: `Cannot find statistic "${text}". Statistics are ${STATISTIC_IDS.join(', ')}`,
    })
  }
  return id
}

/** Whether a statistic is a value of the stream, in the stream's unit; counts and times are not. */
export function isStreamValue(statistic: StatisticId): boolean {
  return /^(?:first|last|min|max|avg|sum)$/.test(statistic)
}
