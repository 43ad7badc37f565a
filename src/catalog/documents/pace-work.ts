import { nextTurn } from '../../base/index.ts'

/** Work between two turns, about a millisecond. */
const WORK_PER_STEP = 2_000

/** Of a stream that is read, checked or shown. */
export const WORK_PER_STREAM = 100

/** Of a formula, beside its characters: to read it takes as long as some streams do. */
const WORK_PER_FORMULA = 500

/** What a stream costs that has a formula, or none. */
export function workOfStream(
  derivation: { readonly expression: string } | null | undefined,
): number {
  if (derivation == null) return WORK_PER_STREAM
  return WORK_PER_STREAM + WORK_PER_FORMULA + derivation.expression.length
}

/** Lets others have a turn whenever enough work was told. */
export function paceWork(): (work: number) => Promise<void> {
  let done = 0
  return async (work) => {
    done += work
    if (done < WORK_PER_STEP) return
    done = 0
    await nextTurn()
  }
}
