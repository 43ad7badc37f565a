import { queries } from '../../../api/query-cache.ts'
import { useQuery } from '../../../api/use-query.ts'
import { numberText } from '../../../chart/figures.ts'
import { withUnit } from '../../../chart/unit-text.ts'
import { askOnePlot } from '../../../state/plot-batch.ts'
import type { Panel, PanelStream } from '../board-types.ts'
import { type ShownValue, useGone } from '../live-board.ts'
import { useNews, useRefresh } from '../use-news.ts'

/** How often a running period is looked at where samples arrive, and where none do: it may have ended. */
const REFRESH_MS = 15_000
const PERIOD_MS = 60_000

/** The running period of a panel's cycle and statistic; undefined where it has none. */
export function useStatistic(panel: Panel, stream: PanelStream): ShownValue | undefined {
  const { cycleId, stat } = panel.options
  const { componentUid, streamUid } = stream
  const key = ['statistic', componentUid, streamUid, cycleId, stat]
  const isGone = useGone([streamUid]).has(streamUid) || queries.peek(key).error?.status === 404
  const isOff = cycleId === '' || stat === '' || isGone
  const found = useQuery(
    key,
    (signal) => askOnePlot({ componentUid, streamUid, cycle: cycleId, stat, points: 1 }, signal),
    { isOff },
  )
  const reload = () => !isOff && found.reload()
  useNews([streamUid], reload, { everyMs: REFRESH_MS })
  useRefresh(isOff ? undefined : PERIOD_MS, reload)
  const { data } = found
  if (isOff || data === undefined) return undefined
  const { start = [], value = [], unit } = data
  const shown = value.at(-1)
  if (shown === undefined) return undefined
  const fData = typeof shown === 'number' ? withUnit(numberText(shown), unit) : undefined
  return { time: start.at(-1) ?? 0, data: shown, fData }
}
