import { invariant } from '../../base/index.ts'
import type { Connector } from '../record/connector-shape.ts'
import { IMPORT_DEFAULTS, type ImportFields } from './import-fields.ts'

/** A connector that imports. */
export type ImportConnector = Connector & ImportFields

/** A connector as an import; only for those whose type is DB_IMPORT. */
export function importOf(connector: Connector): ImportConnector {
  invariant(connector.connType === 'DB_IMPORT', 'the connector is not an import')
  return { ...IMPORT_DEFAULTS, ...connector }
}
