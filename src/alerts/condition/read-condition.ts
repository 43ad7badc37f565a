import type { StatisticId } from '../../catalog/shape/index.ts'
import {
  compileExpression,
  ExpressionChecker,
  ExpressionError,
  type ExpressionType,
  judgeRange,
  nearestName,
  parseExpression,
  type RangeJudge,
  shorten,
  type Term,
  toCondition,
} from '../../expression/index.ts'
import { type ConditionInput, placeOfInput, replaceInputs } from './condition-inputs.ts'
import { requireComparable } from './require-comparable.ts'

/** A condition that runs over the values of its inputs. */
export interface Condition {
  readonly text: string
  /** In the order of the values that it takes. */
  readonly inputs: readonly ConditionInput[]
  readonly compiled: ReturnType<typeof compileExpression>
  /** Where the condition compares only the value, and with numbers: what it gives for values of a range. */
  readonly judgeRange: RangeJudge | undefined
}

/** What the values of a condition are. */
interface ConditionTypes {
  /** Of the watched stream. */
  readonly value: ExpressionType
  /** Of functions of dates that are given no zone. */
  readonly timeZoneId: string
}

/** All names that a condition may use by themselves. */
const NAMES = ['value', 'time']

/** Reads, checks, and compiles a condition; throws ExpressionError with the place of the first mistake. */
export function readCondition(text: string, types: ConditionTypes): Condition {
  const { tree, inputs } = replaceInputs(text, parseExpression(text))
  const failAt = (problem: string, span: Term['span']) => new ExpressionError(problem, text, span)
  const checker = new ExpressionChecker({
    variable: (name, span) => {
      const index = placeOfInput(name)
      const input = index === undefined ? undefined : inputs[index]
      if (index === undefined || input === undefined) throw failAt(unknownName(name), span)
      return { kind: 'input', index, name: wordsOf(input), type: typeOf(input, types.value), span }
    },
    foreign: ({ span }) => {
      throw failAt('This is not allowed in a condition. Remove it', span)
    },
    failAt,
    timeZoneId: types.timeZoneId,
  })
  const term = toCondition(checker.check(tree), failAt)
  requireComparable(term, { typeOf: (index) => typeOf(inputs[index], types.value), failAt })
  const compiled = compileExpression({
    text,
    tree,
    term,
    type: term.type,
    variables: [],
    timeZoneId: types.timeZoneId,
    used: [],
    warnings: [],
  })
  const isOfValue = inputs.every((input) => input.kind === 'value' && input.back === 0)
  return { text, inputs, compiled, judgeRange: isOfValue ? judgeRange(term) : undefined }
}

function unknownName(name: string): string {
  const nearest = nearestName(name, NAMES)
  if (nearest !== undefined) return `Unknown name "${shorten(name)}": did you mean "${nearest}"?`
  return `Unknown name "${shorten(name)}". Use value, time, previous(1), stat('day', 'max'), recent(10, 'avg'), or stream('id')`
}

/** How an input is called in messages. */
function wordsOf(input: ConditionInput): string {
  switch (input.kind) {
    case 'value':
      return input.back === 0 ? 'value' : `previous(${input.back})`
    case 'time':
      return input.back === 0 ? 'time' : `previousTime(${input.back})`
    case 'stat':
      return `stat('${shorten(input.cycleId)}', '${input.statistic}')`
    case 'recent':
      return `recent(${input.minutes}, '${input.statistic}')`
    case 'stream':
      return `stream('${shorten(input.streamId)}')`
  }
}

function typeOf(input: ConditionInput, value: ExpressionType): ExpressionType {
  switch (input.kind) {
    case 'value':
      return value
    case 'time':
      return 'LONG'
    case 'stat':
    case 'recent':
      return statisticType(input.statistic, value)
    // Its type is that of each component's own stream.
    case 'stream':
      return 'UNKNOWN'
  }
}

const AS_SAMPLES: readonly StatisticId[] = ['first', 'last']
const OF_VALUES: readonly StatisticId[] = ['min', 'max', 'avg', 'sum']

function statisticType(statistic: StatisticId, value: ExpressionType): ExpressionType {
  if (AS_SAMPLES.includes(statistic)) return value
  if (!OF_VALUES.includes(statistic)) return 'LONG'
  return value === 'BIGDECIMAL' || value === 'UNKNOWN' ? value : 'DOUBLE'
}
