import { isIP, type Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { type Connection, type ConnectionOptions, createConnection } from 'mysql2'
import {
  type DatabaseAdapter,
  DatabaseFailure,
  type DatabaseLimits,
  type DatabaseTarget,
  type Outlet,
  type Row,
  versionOf,
  WRONG_PASSWORD,
} from '../database-port.ts'
import { requireMysqlReading } from '../reading/require-reading.ts'
import { takeRows } from '../row-stream.ts'
import { type MysqlColumn, mysqlReader } from './mysql-values.ts'

/** Rows that lie ready in the driver. */
const BUFFERED_ROWS = 200

/** Signs in to MySQL or MariaDB and begins a transaction that only reads. */
export async function openMysql(
  target: DatabaseTarget,
  limits: DatabaseLimits,
  outlet: Outlet,
): Promise<DatabaseAdapter> {
  const socket = await outlet.connect()
  try {
    const connection = await signIn(target, socket)
    const [[version, modes]] = await ask(connection, 'SELECT VERSION(), @@sql_mode')
    const isMariadb = /mariadb/i.test(version)
    for (const text of beginTexts(limits, isMariadb)) await ask(connection, text)
    const server = `${isMariadb ? 'MariaDB' : 'MySQL'} ${versionOf(version)}`
    return new MysqlAdapter({ connection, socket, outlet, server, target, modes })
  } catch (error) {
    throw translate(error)
  }
}

async function signIn(target: DatabaseTarget, socket: Socket): Promise<Connection> {
  const connection = createConnection(connectionOptions(target, socket))
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  // An error between two statements is reported by the next one.
  connection.on('error', reject)
  connection.connect((error) => (error === null ? resolve() : reject(error)))
  await promise
  return connection
}

function connectionOptions(target: DatabaseTarget, socket: Socket): ConnectionOptions {
  const { host, port, user, password, database, tls } = target
  const isVerified = tls === 'verify'
  if (isVerified && isIP(host) !== 0) {
    const what =
      'A certificate can be verified only for a host name. Use a host name, or set tls to "on"'
    throw new DatabaseFailure('tls', what)
  }
  const ssl = { rejectUnauthorized: isVerified, verifyIdentity: isVerified }
  return {
    host,
    port,
    user,
    password,
    stream: socket,
    charset: 'utf8mb4',
    ...(database === '' ? {} : { database }),
    ...(tls === 'off' ? {} : { ssl }),
    // Nothing of this machine is the server's to ask for, and no row makes code.
    flags: ['-LOCAL_FILES'],
    disableEval: true,
    multipleStatements: false,
    // The limit of signing in is the outlet's.
    connectTimeout: 0,
    enableKeepAlive: false,
  }
}

function beginTexts({ answerMs }: DatabaseLimits, isMariadb: boolean): string[] {
  const seconds = Math.ceil(answerMs / 1_000)
  const limit = isMariadb ? `max_statement_time = ${seconds}` : `max_execution_time = ${answerMs}`
  const waits = `net_write_timeout = ${seconds * 2}, lock_wait_timeout = ${seconds}`
  return [
    `SET SESSION time_zone = '+00:00', ${limit}, ${waits}`,
    'SET SESSION TRANSACTION READ ONLY',
    'START TRANSACTION READ ONLY',
  ]
}

/** The rows of a short statement, as texts. */
async function ask(connection: Connection, sql: string): Promise<string[][]> {
  const { promise, resolve, reject } = Promise.withResolvers<string[][]>()
  connection.query(
    { sql, rowsAsArray: true, typeCast: (field) => field.string() },
    (error, rows) => (error === null ? resolve(rows as unknown as string[][]) : reject(error)),
  )
  return await promise
}

interface Parts {
  readonly connection: Connection
  readonly socket: Socket
  readonly outlet: Outlet
  readonly server: string
  readonly target: DatabaseTarget
  /** What the session makes of quotes, among others. */
  readonly modes: string
}

class MysqlAdapter implements DatabaseAdapter {
  readonly server: string
  readonly #parts: Parts
  readonly #lost = Promise.withResolvers<never>()
  #rows: Readable | undefined
  #resultCount = 0
  #readers: readonly ((bytes: Buffer) => string)[] = []

  constructor(parts: Parts) {
    this.#parts = parts
    this.server = parts.server
    // A connection that breaks off is reported here, and not by the statement that runs.
    parts.connection.on('error', (error) => {
      this.#lost.reject(error)
      this.#rows?.destroy(error)
    })
    this.#lost.promise.catch(() => {})
  }

  async start(sql: string): Promise<readonly string[]> {
    const { modes } = this.#parts
    const hasBackslashes = !/NO_BACKSLASH_ESCAPES/.test(modes)
    requireMysqlReading(sql, { hasBackslashes, hasAnsiQuotes: /ANSI_QUOTES/.test(modes) })
    const query = this.#parts.connection.query({ sql, rowsAsArray: true, typeCast: false })
    const { promise, resolve, reject } = Promise.withResolvers<readonly Column[]>()
    query.on('fields', (fields: unknown) => {
      this.#resultCount += 1
      resolve((fields ?? []) as readonly Column[])
    })
    query.once('error', reject)
    query.once('end', () => resolve([]))
    this.#rows = query.stream({ highWaterMark: BUFFERED_ROWS })
    // It is reported by the reader of rows.
    this.#rows.on('error', () => {})
    const columns = await Promise.race([promise, this.#lost.promise])
    if (columns.length === 0) throw new DatabaseFailure('sql', 'The statement returns no rows')
    this.#readers = columns.map(mysqlReader)
    return columns.map(({ name }) => name)
  }

  async next(rowsMax: number): Promise<readonly Row[]> {
    if (this.#rows === undefined) return []
    const rows = await takeRows<(Buffer | null)[]>(this.#rows, rowsMax)
    const readers = this.#readers
    // Behind the first result the driver gives rows of others, and what it makes of the server's last words.
    if (this.#resultCount > 1 || !rows.every(Array.isArray)) {
      throw new DatabaseFailure(
        'sql',
        'The statement returns more than one result. Write one SELECT',
      )
    }
    return rows.map((row) => row.map((cell, at) => (cell === null ? null : readers[at](cell))))
  }

  async cancel(): Promise<void> {
    const { connection, socket, outlet, target } = this.#parts
    const second = await outlet.connectAgain(socket)
    try {
      const killer = await signIn(target, second)
      await ask(killer, `KILL QUERY ${connection.threadId}`)
    } finally {
      second.destroy()
    }
  }

  async close(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#parts.connection.end(() => resolve())
    await promise
  }

  translate(error: unknown): DatabaseFailure {
    return translate(error)
  }
}

type Column = MysqlColumn & { readonly name: string }

const WRONG_PASSWORD_NUMBER = 1045
/** No right to the database, unknown database, host not allowed: the person who signs in can fix it. */
const SIGN_IN_NUMBERS = [1044, 1049, 1130, 1251, 1698, 1820, 3118]
/** The time of a statement is over. */
const TIME_NUMBERS = [1969, 3024]

function translate(error: unknown): DatabaseFailure {
  if (error instanceof DatabaseFailure) return error
  const {
    code = '',
    errno = 0,
    message,
    sqlState,
  } = error as NodeJS.ErrnoException & {
    sqlState?: string
  }
  if (errno === WRONG_PASSWORD_NUMBER) return new DatabaseFailure('sign_in', WRONG_PASSWORD)
  const hasServerText = sqlState !== undefined && sqlState !== ''
  if (code === 'MYSQL_CLEAR_PASSWORD_NOT_ENABLED') {
    const what =
      'The server requests the password in clear text (mysql_clear_password), which is not allowed'
    return new DatabaseFailure(
      'sign_in',
      `${what}. Use another authentication plugin for this user`,
    )
  }
  if (SIGN_IN_NUMBERS.includes(errno)) {
    return new DatabaseFailure('sign_in', message, { hasServerText })
  }
  if (TIME_NUMBERS.includes(errno)) return new DatabaseFailure('timeout', message)
  if (/SSL|TLS|certificate|CERT_|self-signed/i.test(`${code} ${message}`)) {
    return new DatabaseFailure('tls', message)
  }
  if (hasServerText) {
    const line = / at line (\d+)$/.exec(message)?.[1]
    const place = line === undefined ? undefined : { line: Number(line) }
    return new DatabaseFailure('sql', message, { place, hasServerText })
  }
  return new DatabaseFailure('lost', `The connection was lost: ${message}`)
}
