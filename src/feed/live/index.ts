export { LiveHub } from './live-hub.ts'
export type { LiveCall, LiveSink } from './live-listener.ts'
export type { LiveForm } from './live-reader.ts'
export type { LiveItem, LiveName, LiveSelection } from './live-selection.ts'
