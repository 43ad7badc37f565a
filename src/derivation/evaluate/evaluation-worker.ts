/** The thread that evaluates formulas over long texts. */
import { BoundedCache, serveThread } from '../../base/plain.ts'
import { checkExpression, compileExpression } from '../../expression/index.ts'
import { BlockTime } from './block-time.ts'
import { type Evaluated, evaluateRows } from './evaluate-rows.ts'
import type { EvaluationRequest, SentFormula } from './evaluation-thread.ts'

/** CPU time after which a block ends. It is longer than on the main loop, as nobody else waits for this thread. */
const BLOCK_MS = 250

/** Formulas that are kept compiled: those that are evaluated side by side. */
const COMPILED_MAX = 50

type Compiled = ReturnType<typeof compileExpression>

const compiledByText = new BoundedCache<string, Compiled>(COMPILED_MAX)

function compiledOf(formula: SentFormula): Compiled {
  const key = JSON.stringify(formula)
  return compiledByText.getOrInsertComputed(key, () =>
    compileExpression(checkExpression(formula.text, formula)),
  )
}

serveThread(({ formula, plan, times, columns, limits }: EvaluationRequest): Evaluated => {
  const compiled = compiledOf(formula)
  const time = new BlockTime(undefined, BLOCK_MS)
  return evaluateRows(plan, compiled, { times, columns }, { time, limits })
})
