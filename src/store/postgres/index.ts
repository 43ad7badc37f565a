/** The adapters of the storage ports on PostgreSQL; opened only by the composition root and tests. */
export type { ReserveHandles } from './catalog/handle-supply.ts'
export { PostgresCatalog } from './catalog/postgres-catalog.ts'
export { Database } from './connection/database.ts'
export { PostgresBroadcast } from './connection/postgres-broadcast.ts'
export { hasSynchronousStandby, identityOf } from './database-state.ts'
export { openPostgres } from './open-postgres.ts'
export { openPostgresPayloads } from './payloads/postgres-payloads.ts'
export { PostgresSampleOrder } from './sample-order/postgres-sample-order.ts'
