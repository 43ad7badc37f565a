import type { Static } from 'typebox'
import type { RecordRules } from '../../catalog/record/index.ts'
import {
  checkText,
  DESCRIPTION_LENGTH_MAX,
  NAME_LENGTH_MAX,
  readTimeZoneField,
  refuseField,
  shapeCheck,
} from '../../catalog/shape/index.ts'
import { readImportFields } from '../import/import-fields.ts'
import { programOf } from '../run/connector-program.ts'
import {
  type ConnectorBody,
  type ConnectorProc,
  connectorShape,
  PROC_SQL_LENGTH_MAX,
} from './connector-shape.ts'

type ConnectorInput = Static<typeof connectorShape>

/** The kind of the documents, and the resource's name. */
export const CONNECTOR_KIND = 'connector'

/** Refuses statements with a mistake, naming the field that holds them. */
export type CheckSql = (proc: ConnectorProc, field: string) => void

/** Compiles long statements apart from the main loop, before they are checked; reports no errors. */
export type PrepareSql = (proc: ConnectorProc) => Promise<void>

/** A connector that nothing is said of. */
const CONNECTOR_DEFAULTS: ConnectorBody = {
  id: '',
  name: '',
  description: '',
  connType: 'HTTP',
  runningUser: { uid: '' },
  isEnabled: true,
  procs: [{ timeZoneId: 'UTC', sql: '' }],
}

/** The rules of connectors; statements are compiled when they are saved. */
export function connectorRules(
  checkSql: CheckSql,
  hasConnection: (orgUid: string, uid: string) => Promise<boolean>,
): RecordRules<ConnectorBody> {
  return {
    kind: CONNECTOR_KIND,
    check: shapeCheck('connector', connectorShape),
    read: async (input, before, orgUid) => {
      const body = readConnector(input, before, checkSql)
      if (body.connType !== 'DB_IMPORT') return body
      const isThere = (uid: string) => hasConnection(orgUid, uid)
      return { ...body, ...(await readImportFields(input, before, isThere)) }
    },
    defaults: CONNECTOR_DEFAULTS,
    needsId: true,
    ownChanges: ({ runningUser: { uid: before } }, { runningUser: { uid: after } }) => {
      if (before === after) return []
      const detail = before === '' ? `user:${after}` : `user:${before} to user:${after}`
      return [{ verb: 'running_user_changed', detail }]
    },
    usesOf: (orgUid, before, { connection }) =>
      connection === undefined || connection.uid === before.connection?.uid
        ? []
        : [{ orgUid, kind: 'connection', uid: connection.uid }],
  }
}

function readConnector(
  input: ConnectorInput,
  before: ConnectorBody,
  checkSql: CheckSql,
): ConnectorBody {
  const { id = before.id, description = before.description } = input
  const { connType = before.connType, isEnabled = before.isEnabled } = input
  const name = input.name ?? (before.name || id)
  if (before.id !== '' && connType !== before.connType) {
    refuseField('connector.connType', 'cannot be changed. Create another connector')
  }
  if (id === '') {
    refuseField('connector.id', 'must not be blank. It is the last part of the sink URL')
  }
  checkText('connector.name', name, NAME_LENGTH_MAX)
  checkText('connector.description', description, DESCRIPTION_LENGTH_MAX)
  const runningUser = input.runningUser === undefined ? before.runningUser : input.runningUser
  const uid = runningUser?.uid ?? ''
  if (uid === '') {
    refuseField(
      'connector.runningUser',
      'is missing. Set the user whose permissions the connector uses',
    )
  }
  const procs = input.procs === undefined ? before.procs : readProcs(input.procs)
  requireSql(procs, checkSql)
  return { id, name, description, connType, runningUser: { uid }, isEnabled, procs }
}

/** The procs as they are kept. */
export function readProcs(inputs: NonNullable<ConnectorInput['procs']>): ConnectorProc[] {
  const procs = inputs.map(({ sql, timeZoneId }, at) => {
    const field = `connector.procs[${at}]`
    checkText(`${field}.sql`, sql, PROC_SQL_LENGTH_MAX)
    return { timeZoneId: readTimeZoneField(`${field}.timeZoneId`, timeZoneId || 'UTC'), sql }
  })
  const other = procs.findIndex(({ timeZoneId }) => timeZoneId !== procs[0].timeZoneId)
  if (other > 0) {
    refuseField(
      `connector.procs[${other}].timeZoneId`,
      `must be ${procs[0].timeZoneId} as in procs[0]. All procs of a connector share one time zone`,
    )
  }
  return procs
}

/** Refuses procs of which one has no statements, or statements with a mistake. */
export function requireSql(procs: readonly ConnectorProc[], checkSql: CheckSql): void {
  if (procs.length === 0)
    refuseField('connector.procs', 'must contain at least one proc with its SQL')
  for (const [at, proc] of procs.entries()) {
    const field = `connector.procs[${at}].sql`
    if (proc.sql.trim() === '') refuseField(field, 'must not be blank')
    checkSql(proc, field)
  }
  // They are run as one program, which has bounds of its own.
  if (procs.length > 1) checkSql(programOf(procs), 'connector.procs')
}
