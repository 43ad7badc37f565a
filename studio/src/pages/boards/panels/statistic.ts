import { call } from '../../../api/client.ts'
import { queries } from '../../../api/query-cache.ts'
import { useQuery } from '../../../api/use-query.ts'
import { numberText } from '../../../chart/figures.ts'
import { withUnit } from '../../../chart/unit-text.ts'
import type { Panel, PanelStream } from '../board-types.ts'
import { type ShownValue, useGone } from '../live-board.ts'

/** How often a running period is looked at. */
const REFRESH_MS = 15_000

/** The running period of a panel's cycle and statistic; undefined where it has none. */
export function useStatistic(panel: Panel, stream: PanelStream): ShownValue | undefined {
  const { cycleId, stat } = panel.options
  const { componentUid, streamUid } = stream
  const key = ['statistic', componentUid, streamUid, cycleId, stat]
  const isGone = useGone([streamUid]).has(streamUid) || queries.peek(key).error?.status === 404
  const isOff = cycleId === '' || stat === '' || isGone
  const { data } = useQuery(
    key,
    (signal) =>
      call('get', '/api/component/{componentUid}/stream/{uid}/plot', {
        path: { componentUid, uid: streamUid },
        query: { cycle: cycleId, stat: stat as 'avg', points: 1 },
        signal,
      }),
    { isOff, refreshMs: REFRESH_MS },
  )
  if (isOff || data === undefined) return undefined
  const { start = [], value = [], unit } = data.plot
  const shown = value.at(-1)
  if (shown === undefined) return undefined
  const fData = typeof shown === 'number' ? withUnit(numberText(shown), unit) : undefined
  return { time: start.at(-1) ?? 0, data: shown, fData }
}
