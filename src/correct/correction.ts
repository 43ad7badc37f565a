/** What a correction does to the samples of a range. */

/** What can be done to samples. */
export const CORRECTION_ACTIONS = ['delete', 'set', 'offset', 'scale'] as const
export type CorrectionAction = (typeof CORRECTION_ACTIONS)[number]

/** Samples that a correction may have for its undo; their values as they were are kept for a day. */
export const UNDO_SAMPLES_MAX = 1_000_000

/** What is done to each sample; `value` is meaningless for a delete. */
export interface CorrectionRule {
  readonly action: CorrectionAction
  readonly value: number | string
}

/** The value of a sample after a correction; undefined where it is deleted. */
export function correctedValue(
  { action, value }: CorrectionRule,
  before: number | string,
): number | string | undefined {
  if (action === 'delete') return undefined
  if (action === 'set' || typeof before === 'string' || typeof value === 'string') return value
  return action === 'offset' ? before + value : before * value
}
