export { PrometheusQueries, type PromqlCall } from './prometheus-queries.ts'
export type { QueryJob } from './run/query-messages.ts'
