/** Plots: a range of a stream, or of many, reduced to the pixels of a chart. */
import type { Static } from 'typebox'
import type { Identity } from '../../auth/index.ts'
import { type MemoryBudget, readId, readLoosePairs, refuse } from '../../base/index.ts'
import type { OneStreamPath, Plot } from '../../feed/index.ts'
import { withRanges } from '../../time/index.ts'
import type { FeedCalls } from '../feed/feed-calls.ts'
import { streamPath, uidPath } from '../feed/feed-wire.ts'
import { isPlainPlot } from '../feed/plot-query.ts'
import {
  plotAnswer,
  plotAnswers,
  plotByIdQuery,
  plotQuery,
  plotsAnswer,
  plotsBody,
} from '../feed/plot-wire.ts'
import { writePlainPlot, writePlot } from '../feed/plot-writer.ts'
import { requireFits } from '../table/body-schema.ts'
import type { Call } from '../table/call.ts'
import { Answer } from '../table/call-answer.ts'
import { type HttpOperation, httpOperation, json } from '../table/http-operation.ts'
import { packAnswer } from '../table/pack-answer.ts'

/** What the operations of plots need. */
interface PlotOperationsDeps {
  readonly calls: FeedCalls
  readonly identity: Identity
  readonly budget: MemoryBudget
}

const plot = {
  callers: 'uncounted',
  needs: 'GET component/{uid}/feed',
  tag: 'feed',
  summary: 'Data of a range, reduced to the given number of pixels',
} as const

/** The operations of plots. */
export function plotOperations(deps: PlotOperationsDeps): HttpOperation[] {
  return [
    httpOperation({
      ...plot,
      methods: ['GET'],
      name: 'getPlot',
      path: '/api/comp/:compId/stream/:streamId/plot',
      ids: streamPath,
      query: plotByIdQuery,
      answer: plotAnswers,
      run: async (call) => {
        const path = {
          compId: readId(call.ids.compId, 'the path', 'compId'),
          streamId: readId(call.ids.streamId, 'the path', 'streamId'),
        }
        return await answerPlot(deps, call, path)
      },
    }),
    httpOperation({
      ...plot,
      methods: ['GET'],
      name: 'getPlotByUid',
      path: '/api/component/:componentUid/stream/:uid/plot',
      ids: uidPath,
      query: plotQuery,
      answer: plotAnswer,
      run: async (call) => {
        if (isPlain(call)) refuse('bad_input', { what: '"from" and "until" are missing' })
        const { componentUid, uid } = call.ids
        return await answerPlot(deps, call, { componentUid, streamUid: uid })
      },
    }),
    httpOperation({
      ...plot,
      methods: ['POST'],
      name: 'getPlots',
      path: '/api/plot',
      summary: 'Plots of many streams, for a board. Stores nothing',
      input: json(plotsBody),
      answer: plotsAnswer,
      run: (call) => answerPlots(deps, call),
    }),
  ]
}

async function answerPlot(
  deps: PlotOperationsDeps,
  call: Call,
  path: OneStreamPath,
): Promise<Answer> {
  const found: Plot = await deps.calls.plot(call.principal, path, call.queryText)
  noteExport(deps, call, found)
  const body = (isPlain(call) ? writePlainPlot : writePlot)(found)
  return await packed(deps, call, body)
}

async function answerPlots(deps: PlotOperationsDeps, call: Call<unknown>): Promise<Answer> {
  const { calls } = deps
  // Before the body is judged: who may read nowhere is refused whatever it says.
  calls.requireReader(call.principal)
  const asked = withRanges(call.body, 'plot')
  requireFits(plotsBody, asked)
  const { body, release } = await calls.plots(call.principal, asked as Static<typeof plotsBody>, {
    onPlot: (found) => noteExport(deps, call, found),
    isGone: () => call.exchange.reply.isOver,
  })
  try {
    return await packed(deps, call, body)
  } finally {
    release()
  }
}

/** Sums are a picture; samples as they are have been taken out. */
function noteExport({ identity }: PlotOperationsDeps, call: Call<unknown>, found: Plot): void {
  if (found.form !== 'samples') return
  const { componentUid, compId, streamId } = found
  const amount = found.columns[0].numbers.length
  identity.exports.note(call.acting, { form: 'json', componentUid, compId, streamId, amount })
}

async function packed(
  { budget }: PlotOperationsDeps,
  call: Call<unknown>,
  body: Buffer,
): Promise<Answer> {
  const acceptEncoding = call.header('accept-encoding')
  const short = await packAnswer(body, { budget, acceptEncoding })
  const headers = { 'Content-Type': 'application/json; charset=utf-8', Vary: 'accept-encoding' }
  if (short === undefined) return new Answer(body, { headers })
  return new Answer(short, { headers: { ...headers, 'Content-Encoding': 'gzip' } })
}

function isPlain({ queryText }: Call): boolean {
  return isPlainPlot(readLoosePairs(queryText))
}
