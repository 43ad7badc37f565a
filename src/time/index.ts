export { BUILT_IN_CYCLES } from './built-in-cycles.ts'
export { compileCycle } from './compile-cycle.ts'
export { type Cycle, EDGES_MAX, type Period, type Periods, type Range } from './cycle.ts'
export {
  ALL_PERIODS,
  CUSTOM_INTERVALS_MAX,
  type CustomInterval,
  type CycleDefinition,
  checkCycle,
  SIZE_TYPES,
  type SizeType,
} from './cycle-definition.ts'
export { AGE_UNITS, type Age, agedBefore, roughAgeMs } from './expiry.ts'
export {
  countIntervals,
  firstIntervalEnd,
  intervalEnds,
  intervalEndsIn,
  intervalOf,
} from './interval.ts'
export { addMonths, formatWallTime, parseWallTime } from './wall-time.ts'
export { canonicalTimeZone, loadZone, type Zone } from './zone.ts'
