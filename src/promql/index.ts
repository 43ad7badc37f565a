export { SampleMemory } from './evaluate/evaluation.ts'
export * from './plain.ts'
export type { InstantQuery, QueryContext, QueryResult, QueryValue, SteppedQuery } from './query.ts'
export { parseSelector, queryInstant, queryRange, queryType } from './run-query.ts'
