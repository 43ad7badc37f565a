/** What work on streams costs, for a pacer. */

/** Work between two turns, about a millisecond. */
export const WORK_PER_SLICE = 2_000

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
