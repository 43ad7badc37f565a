/** What a variable of a formula reads of its source: samples as they are, or a statistic of many. */
import type { ExpressionType } from '../../expression/index.ts'
import { expressionTypeOf } from '../shape/expression-type.ts'
import { isGridNested } from '../shape/grid-cycle.ts'
import type { StatisticId } from '../shape/statistic-ids.ts'
import { INTERVAL, POINT, type StreamKind } from '../shape/stream-kind.ts'
import type { RollupMethod } from '../shape/stream-shape.ts'
import type { ValueType } from '../shape/value-type.ts'

/** A stream as far as those who read it have to know it. */
export interface ReadStream {
  readonly kind: StreamKind
  readonly valueType: ValueType
  /** The frozen base cycle of an interval stream, else ''. */
  readonly grid: string
  readonly rollupMethod: RollupMethod
}

/** How a source is read, and of what type its values then are. */
interface VariableReading {
  readonly type: ExpressionType
  /** The statistic that makes one value of the samples in an interval; undefined: they are taken as they are. */
  readonly rollup: StatisticId | undefined
}

const AS_SAMPLES: readonly StatisticId[] = ['first', 'last']
const OF_VALUES: readonly StatisticId[] = ['first', 'last', 'min', 'max', 'avg', 'sum']
const TEXT_TYPES: readonly ValueType[] = ['STRING']

/**
 * How a variable of a derived stream reads its source, with a statistic of periods unless that is blank;
 * a text reports why it cannot, shown after the name of the variable's field.
 */
export function readingOf(
  result: Pick<ReadStream, 'kind' | 'grid'>,
  source: ReadStream,
  stat: StatisticId | '',
): VariableReading | string {
  if (source.kind === POINT) {
    return 'refers to a point stream, which has no history. Use a random or interval stream'
  }
  if (source.valueType === 'FILE') return 'refers to a file stream, which a formula cannot read'
  if (stat !== '') {
    if (isNothing(stat, source.valueType)) {
      return `has the statistic ${stat}, which is not available for texts. Use first, last, or a count`
    }
    return { type: statisticType(stat, source.valueType), rollup: undefined }
  }
  if (result.kind !== INTERVAL || source.grid === result.grid) return asTheyAre(source)
  if (source.kind === INTERVAL) {
    if (!isGridNested(source.grid, result.grid)) {
      return (
        'refers to an interval stream whose intervals do not add up to intervals of the derived ' +
        'stream. Use one with shorter intervals in the same time zone, or a cycle and a statistic'
      )
    }
    if (isGridNested(result.grid, source.grid)) return asTheyAre(source)
  }
  const method = source.rollupMethod
  const rollup = isNothing(method, source.valueType) ? 'last' : method
  return { type: statisticType(rollup, source.valueType), rollup }
}

function asTheyAre({ valueType }: ReadStream): VariableReading {
  return { type: expressionTypeOf(valueType), rollup: undefined }
}

/** Whether a statistic has no value for a type. */
function isNothing(stat: StatisticId, valueType: ValueType): boolean {
  if (!TEXT_TYPES.includes(valueType) || AS_SAMPLES.includes(stat)) return false
  return OF_VALUES.includes(stat) || stat === 'minoccurrence' || stat === 'maxoccurrence'
}

/** Counts and times are whole numbers; first and last are as samples; of numbers the rest are numbers. */
function statisticType(stat: StatisticId, valueType: ValueType): ExpressionType {
  if (!OF_VALUES.includes(stat)) return 'LONG'
  const type = expressionTypeOf(valueType)
  if (AS_SAMPLES.includes(stat) || type === 'UNKNOWN' || type === 'BIGDECIMAL') return type
  return type === 'LONG' && (stat === 'min' || stat === 'max') ? 'LONG' : 'DOUBLE'
}
