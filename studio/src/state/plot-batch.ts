/** Plots that are asked for together are one request: a board sends one for all of its panels. */
import { ApiError, asApiError } from '../api/api-error.ts'
import { call } from '../api/client.ts'
import type { Plot } from '../chart/chart-series.ts'

/** One plot that is asked for. */
export interface AskedPlot {
  readonly componentUid: string
  readonly streamUid: string
  readonly from?: number
  readonly until?: number
  readonly points: number
  readonly cycle?: string
  readonly stat?: string
}

interface Waiting {
  readonly asked: AskedPlot
  readonly signal: AbortSignal
  readonly resolve: (plot: Plot) => void
  readonly reject: (error: unknown) => void
}

/** What is asked for within this time goes together. */
const GATHER_MS = 10
/** As many plots and points as the service answers at once. */
const PLOTS_MAX = 200
const POINTS_MAX = 200_000

let waiting: Waiting[] = []

/** Asks for a plot, together with others that are asked for at the same time. */
export function askOnePlot(asked: AskedPlot, signal: AbortSignal): Promise<Plot> {
  return new Promise((resolve, reject) => {
    waiting.push({ asked, signal, resolve, reject })
    if (waiting.length === 1) setTimeout(sendAll, GATHER_MS)
  })
}

function sendAll(): void {
  const gathered = waiting
  waiting = []
  for (const one of gathered.filter(({ signal }) => signal.aborted)) one.reject(one.signal.reason)
  for (const part of partsOf(gathered.filter(({ signal }) => !signal.aborted))) {
    const sending = part.length === 1 ? sendOne(part[0]) : sendMany(part)
    sending.catch((error: unknown) => {
      for (const { reject } of part) reject(error)
    })
  }
}

function partsOf(all: readonly Waiting[]): Waiting[][] {
  const parts: Waiting[][] = []
  let points = 0
  for (const one of all) {
    points += one.asked.points
    const part = parts.at(-1)
    if (part === undefined || part.length === PLOTS_MAX || points > POINTS_MAX) {
      parts.push([one])
      points = one.asked.points
    } else part.push(one)
  }
  return parts
}

type Query = NonNullable<
  Parameters<typeof call<'get', '/api/component/{componentUid}/stream/{uid}/plot'>>[2]['query']
>

async function sendOne({ asked, signal, resolve }: Waiting): Promise<void> {
  const { componentUid, streamUid: uid, ...query } = asked
  const path = '/api/component/{componentUid}/stream/{uid}/plot'
  const options = { path: { componentUid, uid }, query: query as Query, signal }
  resolve((await call('get', path, options)).plot)
}

async function sendMany(part: readonly Waiting[]): Promise<void> {
  const plot = part.map(({ asked }) => ({ ...asked, stat: asked.stat as Query['stat'] }))
  const signal = allGone(part.map((one) => one.signal))
  const { answer } = await call('post', '/api/plot', { body: { plot }, signal })
  for (const [at, { resolve, reject }] of part.entries()) {
    const { plot: found, error } = answer[at]
    if (found !== undefined) resolve(found)
    else reject(error === undefined ? asApiError('The plot is missing.') : new ApiError(error))
  }
}

/** Aborted when nobody waits for any of the plots. */
function allGone(signals: readonly AbortSignal[]): AbortSignal {
  const controller = new AbortController()
  let left = signals.length
  for (const signal of signals) {
    signal.addEventListener('abort', () => {
      left -= 1
      if (left === 0) controller.abort()
    })
  }
  return controller.signal
}
