import { refuse, TIME_END } from '../../base/index.ts'
import type { Catalog } from '../../catalog/index.ts'
import type { StreamHandle } from '../../store/index.ts'
import { type DerivationGraph, type DerivationPlan, isProblem } from '../derivation-plan.ts'
import { type DeriveDeps, deriveAgain } from '../derive-stream.ts'
import type { HistoryWork } from './history-jobs.ts'

interface HistoryWorkDeps extends DeriveDeps {
  readonly catalog: Pick<Catalog, 'describeStream'>
  readonly graph: DerivationGraph
}

/** Derives spans of history: what a stream has there is replaced by what its formula gives. */
export function historyWork(deps: HistoryWorkDeps): HistoryWork {
  return {
    check: async (handle) => void (await requirePlan(deps, handle)),
    run: async (handle, job, control) => {
      const plan = await requirePlan(deps, handle)
      const bounds = await boundsOf(deps, plan)
      // Before the first sample of all sources nothing is known, and what is there stays.
      const from = Math.max(job.from, bounds.from)
      const last = Math.min(job.until, bounds.until)
      const total = Math.max(0, last - from)
      const progressAt = (at: number) => ({
        at,
        total,
        done: Math.min(total, Math.max(0, at - from)),
      })
      const begun = Math.max(job.at, from)
      if (!(await control.report(progressAt(begun)))) return
      const onBlock = async (until: number) => {
        if ((await requirePlan(deps, handle)) !== plan) {
          refuse('conflict', { what: 'The formula was changed. Start again' })
        }
        return await control.report(progressAt(until))
      }
      const span = { from: begun, until: job.until }
      const { until } = await deriveAgain(deps, plan, span, { onBlock })
      await control.report(progressAt(until))
    },
  }
}

/** Where the samples of all sources begin, and end. */
async function boundsOf({ store }: HistoryWorkDeps, { variables }: DerivationPlan) {
  const spans = await Promise.all(variables.map(({ handle }) => store.span(handle)))
  const known = spans.filter((span) => span !== undefined)
  const from = Math.min(TIME_END, ...known.map(({ firstTime }) => firstTime))
  return { from, until: Math.max(from, ...known.map(({ lastTime }) => lastTime + 1)) }
}

async function requirePlan(deps: HistoryWorkDeps, handle: StreamHandle): Promise<DerivationPlan> {
  const stream = await deps.catalog.describeStream(handle)
  if (stream === undefined) return refuse('conflict', { what: 'The stream was deleted' })
  if (stream.streamDerivationType !== 'FROM_EXPRESSION') {
    return refuse('bad_input', {
      what: 'This stream is not derived: its streamDerivationType is not FROM_EXPRESSION',
    })
  }
  const plan = await deps.graph.planOf(handle)
  if (isProblem(plan)) return refuse('conflict', { what: `Cannot calculate: ${plan.problem}` })
  return plan
}
