import type { EventEmitter } from 'node:events'
import { isIP, type Socket } from 'node:net'
import pg from 'pg'
import {
  type DatabaseAdapter,
  DatabaseFailure,
  type DatabaseLimits,
  type DatabaseTarget,
  type Outlet,
  versionOf,
  WRONG_PASSWORD,
} from '../database-port.ts'
import { placeAt } from '../text-place.ts'
import type { Submittable } from './pg-messages.ts'
import { PortalQuery } from './portal-query.ts'
import { postgresqlReader } from './postgresql-values.ts'

/** `CancelRequest` of the wire protocol. */
const CANCEL_CODE = 80_877_102

/** Signs in to PostgreSQL and begins a transaction that only reads. */
export async function openPostgresql(
  target: DatabaseTarget,
  limits: DatabaseLimits,
  outlet: Outlet,
): Promise<DatabaseAdapter> {
  const socket = await outlet.connect()
  const client = new pg.Client(clientConfig(target, socket))
  if (target.tls === 'off') refuseCleartext(client)
  // An error between two statements is reported by the next one.
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query(beginText(limits))
    const { rows } = await client.query({ text: 'SHOW server_version', rowMode: 'array' })
    return new PostgresqlAdapter({
      client,
      socket,
      outlet,
      server: `PostgreSQL ${versionOf(rows[0][0])}`,
    })
  } catch (error) {
    throw translate(error, '')
  }
}

/** Anyone on the way could read the password; MD5 and SCRAM do not send it. */
function refuseCleartext(client: pg.Client): void {
  const inner = client as unknown as { connection: EventEmitter; password: () => string }
  inner.connection.once('authenticationCleartextPassword', () => {
    inner.password = () => {
      const what = 'The server requests the password in clear text. Set tls to "on" or "verify"'
      throw new DatabaseFailure('tls', what)
    }
  })
}

function clientConfig(target: DatabaseTarget, socket: Socket): pg.ClientConfig {
  const { host, port, user, password, database, tls } = target
  // The client would connect by itself: what it is given is connected, and only says so.
  const stream = Object.assign(socket, {
    connect: () => {
      process.nextTick(() => socket.emit('connect'))
      return socket
    },
  })
  const servername = isIP(host) === 0 ? { servername: host } : {}
  return {
    host,
    port,
    user,
    database: database || user,
    stream: () => stream,
    // As a function: a blank one would be looked for in files and the environment.
    password: () => password,
    ssl: tls === 'off' ? false : { rejectUnauthorized: tls === 'verify', host, ...servername },
    application_name: 'weir',
    client_encoding: 'UTF8',
    options: '',
    types: { getTypeParser: () => (text: unknown) => text },
  }
}

/** Local settings last as long as the transaction, so that poolers may stand in between. */
function beginText({ answerMs }: DatabaseLimits): string {
  const settings = {
    datestyle: 'ISO, YMD',
    timezone: 'UTC',
    intervalstyle: 'iso_8601',
    bytea_output: 'hex',
    extra_float_digits: '1',
    statement_timeout: `${answerMs}`,
    lock_timeout: `${answerMs}`,
    idle_in_transaction_session_timeout: `${answerMs * 2}`,
  }
  const lines = Object.entries(settings).map(([name, value]) => `SET LOCAL ${name} = '${value}'`)
  return ['BEGIN READ ONLY', ...lines].join('; ')
}

interface Parts {
  readonly client: pg.Client
  readonly socket: Socket
  readonly outlet: Outlet
  readonly server: string
}

class PostgresqlAdapter implements DatabaseAdapter {
  readonly server: string
  readonly #client: pg.Client
  readonly #socket: Socket
  readonly #outlet: Outlet
  #query: PortalQuery | undefined
  #readers: readonly ((text: string) => string)[] = []
  #sql = ''

  constructor({ client, socket, outlet, server }: Parts) {
    this.#client = client
    this.#socket = socket
    this.#outlet = outlet
    this.server = server
  }

  async start(sql: string): Promise<readonly string[]> {
    this.#sql = sql
    const query: PortalQuery & Submittable = new PortalQuery(sql)
    this.#query = query
    this.#client.query(query as never)
    const fields = await query.fields()
    if (fields.length === 0) throw new DatabaseFailure('sql', 'The statement returns no rows')
    this.#readers = fields.map(({ dataTypeID }) => postgresqlReader(dataTypeID))
    return fields.map(({ name }) => name)
  }

  async next(rowsMax: number): Promise<readonly (readonly (string | null)[])[]> {
    const rows = (await this.#query?.fetchRows(rowsMax)) ?? []
    const readers = this.#readers
    return rows.map((row) => row.map((cell, at) => (cell === null ? null : readers[at](cell))))
  }

  async cancel(): Promise<void> {
    const { processID, secretKey } = this.#client as unknown as {
      processID: number
      secretKey: number
    }
    // A server that is asked by the session itself hears it when it is done.
    const socket = await this.#outlet.connectAgain(this.#socket)
    const request = Buffer.alloc(16)
    request.writeInt32BE(16, 0)
    request.writeInt32BE(CANCEL_CODE, 4)
    request.writeInt32BE(processID, 8)
    request.writeInt32BE(secretKey, 12)
    const { promise, resolve } = Promise.withResolvers<void>()
    socket.once('close', resolve)
    socket.end(request)
    socket.resume()
    await promise
  }

  async close(): Promise<void> {
    await this.#client.end()
  }

  translate(error: unknown): DatabaseFailure {
    return translate(error, this.#sql)
  }
}

function translate(error: unknown, sql: string): DatabaseFailure {
  if (error instanceof DatabaseFailure) return error
  const { code = '', position, message } = error as Error & { code?: string; position?: string }
  if (/^SASL: .*client password/.test(message)) {
    return new DatabaseFailure(
      'sign_in',
      'The server requests a password, but the connection has none',
    )
  }
  if (code === '28P01') return new DatabaseFailure('sign_in', WRONG_PASSWORD)
  const isFromServer = /^[0-9A-Z]{5}$/.test(code)
  const words = { hasServerText: isFromServer }
  if (/^28|^3D000$/.test(code)) return new DatabaseFailure('sign_in', message, words)
  if (code === '57014' && /timeout/.test(message)) return new DatabaseFailure('timeout', message)
  // The server says so in its own language, with the code of a broken protocol.
  if (code === '08P01' && /\$\d/.test(sql)) {
    const what = 'The statement has parameters, such as $1. Write values in their place'
    return new DatabaseFailure('sql', what)
  }
  if (isFromServer && !/^08|^57P/.test(code)) {
    const place = position === undefined ? undefined : placeAt(sql, Number(position) - 1)
    return new DatabaseFailure('sql', message, { place, ...words })
  }
  if (/SSL|TLS|certificate|CERT_|self-signed/i.test(`${code} ${message}`)) {
    return new DatabaseFailure('tls', message)
  }
  return new DatabaseFailure('lost', `The connection was lost: ${message}`, words)
}
