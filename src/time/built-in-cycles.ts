import type { CycleDefinition, SizeType } from './cycle-definition.ts'

/**
 * A Monday, a first of January, and recent. Hours and shorter periods are counted from this instant. So in a zone whose
 * offset once included another half hour (Kathmandu until 1986, Colombo until 2006), they start at the full hour of
 * today's clocks.
 */
const REFERENCE_DATE = '2024-01-01T00:00:00'

function builtIn(sizeType: SizeType, count: number): CycleDefinition {
  return { sizeType, count, referenceDate: REFERENCE_DATE, timeZone: '' }
}

/** The cycles every organization has, by ID; their zone is that of the component they serve. */
export const BUILT_IN_CYCLES: ReadonlyMap<string, CycleDefinition> = new Map([
  ['second', builtIn('SECOND', 1)],
  ['10sec', builtIn('SECOND', 10)],
  ['minute', builtIn('MINUTE', 1)],
  ['5min', builtIn('MINUTE', 5)],
  ['15min', builtIn('MINUTE', 15)],
  ['hour', builtIn('HOUR', 1)],
  ['day', builtIn('DAY', 1)],
  ['week', builtIn('WEEK', 1)],
  ['month', builtIn('MONTH', 1)],
  ['quarter', builtIn('MONTH', 3)],
  ['year', builtIn('YEAR', 1)],
])
