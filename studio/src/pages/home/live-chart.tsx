import { useEffect, useMemo, useState } from 'react'
import type { Schema } from '../../api/paths.ts'
import { navigate } from '../../app/place.ts'
import { Chart } from '../../chart/chart.tsx'
import { chartData } from '../../chart/chart-series.ts'
import { rangeAfter } from '../../chart/time-range.ts'
import { pointsFor, usePlots } from '../../state/plots.ts'
import { useLive } from '../../state/use-live.ts'

const TICK_MS = 1_000
const SHOWN_MS = 5 * 60_000
/** Milliseconds until an answer is requested again. */
const ASKED_MS = 60_000

interface LiveChartProps {
  readonly componentUid: string
  readonly zone: string
  readonly streams: ReadonlyArray<Schema<'Stream'>>
}

/** The last five minutes of some streams, going on; who moves it is led to where one can look around. */
export function LiveChart({ componentUid, zone, streams }: LiveChartProps) {
  const now = useNow()
  const [width, setWidth] = useState(0)
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set())
  const uids = useMemo(
    () => streams.map(({ uid: streamUid }) => ({ componentUid, streamUid })),
    [componentUid, streams],
  )
  const asked = Math.floor(now / ASKED_MS) * ASKED_MS
  const { answers, reload, add } = usePlots({
    streams: uids,
    range: { from: asked - SHOWN_MS, until: asked + 2 * ASKED_MS },
    points: pointsFor(width),
    cycle: undefined,
  })
  useLive(uids, true, {
    onSample: add,
    onChange: reload,
  })
  const series = streams.map(({ uid: key, name, id }, at) => {
    const plot = answers[at]?.plot
    const data = plot === undefined ? undefined : chartData(plot, { stat: undefined })
    return { key, name: name || id, unit: plot?.unit ?? '', data }
  })
  const names = uids.map(({ streamUid }) => `${componentUid}.${streamUid}`).join()
  const range = { from: now - SHOWN_MS, until: now }
  const lookAround = (query: string) => navigate(`/view?s=${names}&${query}`)
  return (
    <Chart
      label={`Chart of ${series.map(({ name }) => name).join(', ')}`}
      series={series}
      zone={zone}
      hidden={hidden}
      range={range}
      onHidden={setHidden}
      onWidth={setWidth}
      onMove={(next, { isStep }) => {
        const { from, until } = rangeAfter(range, next)
        if (isStep) lookAround(`from=${from}&until=${until}`)
      }}
      onBack={() => {}}
      onReset={() => {}}
      onNow={() => {}}
      onLive={() => lookAround('range=15m&live=1')}
    />
  )
}

function useNow(): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), TICK_MS)
    return () => clearInterval(timer)
  }, [])
  return now
}
