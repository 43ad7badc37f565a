export { type MoveReport, moveEverything } from './move-everything.ts'
export { readMove, refuseUnfinishedMove } from './move-record.ts'
export type { MoveSource, MoveTarget } from './move-side.ts'
