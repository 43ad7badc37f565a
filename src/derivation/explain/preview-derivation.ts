/** What a formula would give of the newest samples, before it is saved. */
import type { Principal } from '../../access/index.ts'
import { epochMs, nextIteration, refuse } from '../../base/index.ts'
import type { Catalog } from '../../catalog/index.ts'
import type { ValueType } from '../../catalog/shape/index.ts'
import type { SampleStore, StreamHandle } from '../../store/index.ts'
import { buildPlan, readSources } from '../build-plan.ts'
import { type DerivationPlan, isProblem } from '../derivation-plan.ts'
import { type DerivedBlock, deriveSpan } from '../evaluate/derive-span.ts'
import type { EvaluationThread } from '../evaluate/evaluation-thread.ts'
import { newestTimes } from './newest-times.ts'

/** Results that are shown: what a person looks through. */
const ROWS_MAX = 50
/** CPU time of all rows, in milliseconds; the rest is left out. */
export const PREVIEW_CPU_MS_MAX = 2_000
/** The caller waits no longer, also where others keep the thread busy; the rest is left out. */
const WAIT_MS_MAX = 10_000
/** Bytes of texts that are read for all rows; the rest is left out. */
const TEXT_BYTES_MAX = 64_000_000
/** Bytes of texts that are read for one row. */
const ROW_TEXT_BYTES_MAX = 16_000_000
/** Characters of a text that are shown. */
export const TEXT_LENGTH_SHOWN = 200

/** A result that there would be, or why there would be none. */
interface PreviewRow {
  readonly time: number
  /** null: the formula gives nothing there. */
  readonly value: number | string | boolean | null
  /** Blank unless the formula failed. */
  readonly error: string
  /** What the variables were, where it failed. */
  readonly values: Readonly<Record<string, number | string | boolean | null>>
}

/** The newest results of a formula. */
export interface DerivationPreview {
  /** '' when not even a result determines it. */
  readonly valueType: ValueType
  /** The newest first. */
  readonly rows: readonly PreviewRow[]
  /** Whether it was ended before all rows were evaluated. */
  readonly isCut: boolean
}

interface PreviewDeps {
  readonly catalog: Catalog
  readonly store: SampleStore
  /** Evaluates all formulas that read or make texts. */
  readonly thread: EvaluationThread
}

/** Evaluates a derived stream that is described and not saved; stores nothing. */
export async function previewDerivation(
  deps: PreviewDeps,
  principal: Principal,
  componentUid: string,
  input: unknown,
): Promise<DerivationPreview> {
  let plan = await planDraft(deps, principal, componentUid, input)
  const rows: PreviewRow[] = []
  const times = await newestTimes(deps.store, plan, ROWS_MAX)
  const latest = performance.now() + WAIT_MS_MAX
  const limits = { blockRows: 1, hereCharactersMax: 0, rowTextBytesMax: ROW_TEXT_BYTES_MAX }
  let [workedMs, textBytes] = [0, 0]
  for (const time of times) {
    const isOver = workedMs >= PREVIEW_CPU_MS_MAX || textBytes >= TEXT_BYTES_MAX
    if (isOver || performance.now() > latest) {
      return { valueType: plan.valueType, rows, isCut: true }
    }
    const span = { from: epochMs(time), until: epochMs(time + 1) }
    const block = await deriveSpan({ ...deps, ...limits }, plan, span)
    workedMs += block.workedMs
    textBytes += block.textBytes
    plan = { ...plan, valueType: block.valueType }
    rows.push(rowOf(time, block))
    await nextIteration()
  }
  return { valueType: plan.valueType, rows, isCut: false }
}

/** The plan that the stream would have; refuses what a save would refuse. */
async function planDraft(
  { catalog }: PreviewDeps,
  principal: Principal,
  componentUid: string,
  input: unknown,
): Promise<DerivationPlan> {
  const { orgUid } = principal
  const draft = await catalog.draftStream(principal, componentUid, input)
  const { uid, kind, grid, timeZone, valueType, derivation } = draft
  const sources = await readSources(catalog, orgUid, derivation.variables)
  const plan =
    'problem' in sources
      ? sources
      : await buildPlan(
          catalog.index,
          // No stream has this handle: it is never looked up.
          {
            handle: 0 as StreamHandle,
            timeZone,
            sources,
            stream: { uid, revision: 0, valueType, derivation, leftAlone: {} },
          },
          { orgUid, componentUid, kind, grid },
        )
  // It was all there a moment ago.
  if (isProblem(plan)) return refuse('conflict', { what: `Cannot calculate: ${plan.problem}` })
  return plan
}

function rowOf(time: number, { samples, failures, valueType }: DerivedBlock): PreviewRow {
  const { last } = failures
  const error = last?.message ?? ''
  const values = (last?.values ?? {}) as PreviewRow['values']
  if (samples.count === 0) return { time, value: null, error, values: jsonValues(values) }
  const text = samples.texts?.[0]
  const number = samples.numbers[0]
  const value =
    text?.slice(0, TEXT_LENGTH_SHOWN) ?? (valueType === 'BOOLEAN' ? number !== 0 : number)
  return { time, value, error, values: {} }
}

/** Whole numbers beyond the doubles are written as texts. */
function jsonValues(values: Readonly<Record<string, unknown>>): PreviewRow['values'] {
  const shown = Object.entries(values).map(([name, value]) => [
    name,
    typeof value === 'bigint' ? String(value) : value,
  ])
  return Object.fromEntries(shown)
}
