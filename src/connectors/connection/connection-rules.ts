import { isIP } from 'node:net'
import type { RecordRules } from '../../catalog/record/index.ts'
import { checkText, NAME_LENGTH_MAX, refuseField, shapeCheck } from '../../catalog/shape/index.ts'
import {
  CONNECTION_LENGTHS,
  type ConnectionBody,
  type ConnectionInput,
  connectionShape,
  DEFAULT_PORTS,
} from './connection-shape.ts'

const HOST_NAME = /^(?!-)[a-z0-9_-]{1,63}(?:\.(?!-)[a-z0-9_-]{1,63})*\.?$/i
/** Names of services, in a text in which parentheses and equal signs mean something. */
const ORACLE_SERVICE = /^[\w.$#-]+$/

/** Encrypts a password so that it opens only for the same owner. */
type Seal = (password: string, owner: string) => string

const defaults: ConnectionBody = {
  id: '',
  name: '',
  kind: 'POSTGRESQL',
  host: '',
  port: DEFAULT_PORTS.POSTGRESQL,
  database: '',
  user: '',
  sealedPassword: '',
  tls: 'verify',
}

/** The rules of connections. */
export function connectionRules(seal: Seal): RecordRules<ConnectionBody> {
  return {
    kind: 'connection',
    check: shapeCheck('connection', connectionShape),
    read: (input, before, orgUid) =>
      readConnection(input, before, (password, target) =>
        seal(password, passwordOwner(orgUid, target)),
      ),
    defaults,
    fieldNames: { sealedPassword: 'password' },
  }
}

/** To whom a sealed password belongs: one that is moved to another target does not open. */
export function passwordOwner(orgUid: string, target: Target): string {
  const { kind, host, port, user, tls } = target
  return `connection ${orgUid} ${JSON.stringify([kind, host, port, user, tls])}`
}

type Target = Pick<ConnectionBody, 'kind' | 'host' | 'port' | 'user' | 'tls'>

function readConnection(
  input: ConnectionInput,
  before: ConnectionBody,
  seal: (password: string, target: Target) => string,
): ConnectionBody {
  const isInsert = before.host === ''
  const { id = before.id, kind = before.kind, database = before.database } = input
  const { user = before.user, tls = before.tls } = input
  const host = readHost(input.host ?? before.host)
  const isOtherKind = isInsert || kind !== before.kind
  const port = input.port ?? (isOtherKind ? DEFAULT_PORTS[kind] : before.port)
  const name = input.name ?? (before.name || id)
  const body = { id, name, kind, host, port, database, user, tls }
  checkFields(body)
  const target = { kind, host, port, user, tls }
  if (input.password !== undefined || isInsert) {
    const password = input.password ?? ''
    checkText('connection.password', password, CONNECTION_LENGTHS.password)
    return { ...body, sealedPassword: password === '' ? '' : seal(password, target) }
  }
  const changed = (['kind', 'host', 'port', 'database', 'user', 'tls'] as const).find(
    (field) => body[field] !== before[field],
  )
  if (changed !== undefined) {
    // A person who may change a connection need not know its password, and must not learn it by a server of their own, or by
    // names that they choose and a server repeats.
    refuseField('connection.password', `must be given again because connection.${changed} changes`)
  }
  return { ...body, sealedPassword: before.sealedPassword }
}

function readHost(text: string): string {
  const host = /^\[.*\]$/.test(text) ? text.slice(1, -1) : text
  if (host === '') refuseField('connection.host', 'must be a host name or an IP address')
  const isAddress = isIP(host) !== 0 && !host.includes('%')
  if (host.length > CONNECTION_LENGTHS.host || (!isAddress && !HOST_NAME.test(host))) {
    refuseField(
      'connection.host',
      'must be a host name or an IP address, without a scheme, port, or path',
    )
  }
  return host
}

function checkFields(body: Omit<ConnectionBody, 'sealedPassword'>): void {
  const { kind, name, database, user } = body
  checkText('connection.name', name, NAME_LENGTH_MAX)
  for (const [field, text] of Object.entries({ database, user })) {
    checkText(`connection.${field}`, text, CONNECTION_LENGTHS.name)
    if (/\p{Cc}/u.test(text))
      refuseField(`connection.${field}`, 'must not contain control characters')
  }
  if (user === '') refuseField('connection.user', 'must not be blank')
  const needsDatabase = kind === 'POSTGRESQL' || kind === 'ORACLE'
  if (needsDatabase && database === '') refuseField('connection.database', 'must not be blank')
  if (kind === 'ORACLE' && !ORACLE_SERVICE.test(database)) {
    refuseField('connection.database', 'must be a service name, such as FREEPDB1')
  }
}
