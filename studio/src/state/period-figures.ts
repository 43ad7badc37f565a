import { ApiError } from '../api/api-error.ts'
import { useQuery } from '../api/use-query.ts'
import type { PeriodFigures } from '../chart/period-table.tsx'
import { askPlot, BAND, type PlotsQuestion, type StreamUids } from './plots.ts'

/** The statistics that a table shows for each period, beside the drawn one. */
const STATISTICS = ['nongapcount', 'min', 'avg', 'max'] as const

/** What a table of periods says beside what the chart draws; none until it is there, and none of what a stream has not. */
export function usePeriodFigures(
  stream: StreamUids,
  { range, points, cycle }: Omit<PlotsQuestion, 'streams'>,
  isOff = false,
): PeriodFigures {
  const isNone = isOff || cycle === undefined || points === 0
  const { componentUid, streamUid } = stream
  const drawn = cycle?.stat === BAND ? 'avg' : cycle?.stat
  const { data } = useQuery<PeriodFigures>(
    ['period-figures', componentUid, streamUid, range.from, range.until, points, cycle?.cycle],
    async (signal) => {
      const ask = async (stat: string): Promise<PeriodFigures[number][]> => {
        if (cycle === undefined) return []
        try {
          const asked = { range, points, cycle: { cycle: cycle.cycle, stat } }
          const { start = [], value = [] } = await askPlot(stream, asked, signal)
          return [{ stat, values: new Map(start.map((at, index) => [at, value[index]])) }]
        } catch (error) {
          // Texts have no average: what a stream has no statistic of is no column.
          if (error instanceof ApiError && [400, 404].includes(error.status)) return []
          throw error
        }
      }
      return (await Promise.all(STATISTICS.map(ask))).flat()
    },
    { keepPrevious: true, isOff: isNone },
  )
  return isNone || data === undefined ? [] : data.filter(({ stat }) => stat !== drawn)
}
