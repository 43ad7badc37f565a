export { connectionShape } from './connection/connection-shape.ts'
export { Connections } from './connection/connections.ts'
export { DATABASE_KINDS, TLS_MODES } from './database/database-port.ts'
export { OutboundRules } from './outbound/outbound-rules.ts'
