/** Copies from other time-series databases into a running service. */
export { Unreachable } from './call-server.ts'
export { migrateInflux } from './migrate-influx.ts'
