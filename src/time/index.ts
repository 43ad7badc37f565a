export { BUILT_IN_CYCLES } from './built-in-cycles.ts'
export { compileCycle } from './compile-cycle.ts'
export type { Cycle, Period, Periods, Range } from './cycle.ts'
export {
  ALL_PERIODS,
  CUSTOM_INTERVALS_MAX,
  type CycleDefinition,
  checkCycle,
  SIZE_TYPES,
  type SizeType,
} from './cycle-definition.ts'
export { type Age, agedBefore, roughAgeMs } from './expiry.ts'
export { timeRuleFor } from './instant.ts'
export { checkBaseCycle, countIntervals, firstIntervalEnd, intervalOf } from './interval.ts'
export { isNestedIn } from './nested-cycles.ts'
export { type LocalPeriod, nextPeriods } from './next-periods.ts'
export { compileDatePattern } from './pattern/date-pattern.ts'
export { formatDate } from './pattern/format-date.ts'
export { readDate } from './pattern/read-date.ts'
export {
  parseSampleTime,
  parseTime,
  readTimeParameter,
  sampleTimeRule,
  withRanges,
  withTimes,
} from './read-time.ts'
export { canonicalTimeZone, loadZone } from './zone.ts'
