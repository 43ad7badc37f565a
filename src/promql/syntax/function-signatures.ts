import { wordsOf } from '../words-of.ts'
import type { PromqlType } from './query-node.ts'

export interface FunctionSignature {
  readonly args: readonly PromqlType[]
  /** How many arguments may follow or miss after all but the last one; -1 for any number; 0 for exactly `args`. */
  readonly variadic: number
  readonly result: PromqlType
}

function signature(
  args: readonly PromqlType[],
  options: { readonly variadic?: number; readonly result?: PromqlType } = {},
): FunctionSignature {
  return { args, variadic: options.variadic ?? 0, result: options.result ?? 'vector' }
}

function named(
  names: readonly string[],
  one: FunctionSignature,
): Array<[string, FunctionSignature]> {
  return names.map((name) => [name, one])
}

const ofVector = wordsOf(`
  abs absent acos acosh asin asinh atan atanh ceil cos cosh deg exp floor
  histogram_avg histogram_count histogram_sum histogram_stddev histogram_stdvar
  ln log10 log2 rad sgn sin sinh sort sort_desc sqrt start_timestamp tan tanh
  timestamp
`)

const ofDate = wordsOf('days_in_month day_of_month day_of_week day_of_year hour minute month year')

const ofRange = wordsOf(`
  absent_over_time avg_over_time changes count_over_time delta deriv
  first_over_time idelta increase irate last_over_time mad_over_time
  max_over_time min_over_time present_over_time rate resets stddev_over_time
  stdvar_over_time sum_over_time ts_of_first_over_time ts_of_last_over_time
  ts_of_max_over_time ts_of_min_over_time
`)

/** The types of arguments and results of every function of PromQL. */
export const functionSignatures: ReadonlyMap<string, FunctionSignature> = new Map([
  ...named(ofVector, signature(['vector'])),
  ...named(ofDate, signature(['vector'], { variadic: 1 })),
  ...named(ofRange, signature(['matrix'])),
  ...named(['end', 'pi', 'range', 'start', 'step', 'time'], signature([], { result: 'scalar' })),
  ...named(['max_of', 'min_of'], signature(['scalar', 'scalar'], { result: 'scalar' })),
  ...named(['clamp_max', 'clamp_min'], signature(['vector', 'scalar'])),
  ...named(
    ['sort_by_label', 'sort_by_label_desc'],
    signature(['vector', 'string'], { variadic: -1 }),
  ),
  ['clamp', signature(['vector', 'scalar', 'scalar'])],
  ['double_exponential_smoothing', signature(['matrix', 'scalar', 'scalar'])],
  ['histogram_fraction', signature(['scalar', 'scalar', 'vector'])],
  ['histogram_quantile', signature(['scalar', 'vector'])],
  ['histogram_quantiles', signature(['vector', 'string', 'scalar', 'scalar'], { variadic: 9 })],
  ['info', signature(['vector', 'vector'], { variadic: 1 })],
  ['label_join', signature(['vector', 'string', 'string', 'string'], { variadic: -1 })],
  ['label_replace', signature(['vector', 'string', 'string', 'string', 'string'])],
  ['predict_linear', signature(['matrix', 'scalar'])],
  ['quantile_over_time', signature(['scalar', 'matrix'])],
  ['round', signature(['vector', 'scalar'], { variadic: 1 })],
  ['scalar', signature(['vector'], { result: 'scalar' })],
  ['vector', signature(['scalar'])],
])

/** The sentence for a part of PromQL that Prometheus 3 calls experimental and that is missing here. */
export function experimentalRefusal(part: string): string {
  return `${part} is experimental in Prometheus and not available`
}
