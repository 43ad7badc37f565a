import { isIP, type Socket } from 'node:net'
import type { Connection, ConnectionConfiguration, Request } from 'tedious'
import {
  type DatabaseAdapter,
  DatabaseFailure,
  type DatabaseLimits,
  type DatabaseTarget,
  type Outlet,
  type Row,
  WRONG_PASSWORD,
} from '../database-port.ts'
import { requireSqlserverReading } from '../reading/require-reading.ts'
import { keepExactValues } from './exact-values.ts'
import { sqlserverText } from './sqlserver-values.ts'

/** Rows that may lie ready before the server is made to wait. */
const BUFFERED_ROWS = 1_000
/** The driver's own limit of signing in, beyond that of the outlet, which counts. */
const SIGN_IN_MS_MAX = 3_600_000

type Driver = typeof import('tedious')

/** Signs in to SQL Server and begins a transaction, which is rolled back: this database knows none that only reads. */
export async function openSqlserver(
  target: DatabaseTarget,
  limits: DatabaseLimits,
  outlet: Outlet,
): Promise<DatabaseAdapter> {
  const load = outlet.loadDriver('sqlserver')
  keepExactValues(load)
  const driver = load('tedious') as Driver
  const socket = await outlet.connect()
  const connection = new driver.Connection(configurationOf(target, socket))
  // An error between two statements is reported by the next one.
  connection.on('error', () => {})
  try {
    await called((done) => connection.connect(done))
    const setup = `SET NOCOUNT ON; SET LOCK_TIMEOUT ${limits.answerMs}; SELECT @@VERSION`
    const reading = new ResultReader(driver, connection, setup)
    await reading.columns
    const [[version]] = await reading.next(1)
    // The next statement may begin when this one has ended.
    await reading.next(1)
    await called((done) => connection.beginTransaction(done))
    const server = /^Microsoft SQL Server \d+/.exec(version ?? '')?.[0] ?? 'SQL Server'
    return new SqlserverAdapter(driver, connection, server)
  } catch (error) {
    throw translate(error)
  }
}

function configurationOf(target: DatabaseTarget, socket: Socket): ConnectionConfiguration {
  const { host, port, user, password, database, tls } = target
  let isTaken = false
  const connector = async (): Promise<Socket> => {
    // The driver would go wherever the server sends it.
    if (isTaken) throw new DatabaseFailure('not_allowed', `${host} redirects to another server`)
    isTaken = true
    return socket
  }
  return {
    server: host,
    authentication: { type: 'default', options: { userName: user, password } },
    options: {
      port,
      connector,
      encrypt: tls !== 'off',
      trustServerCertificate: tls !== 'verify',
      ...(database === '' ? {} : { database }),
      ...(isIP(host) === 0 ? { serverName: host } : {}),
      appName: 'weir',
      readOnlyIntent: true,
      useUTC: true,
      maxRetriesOnTransientErrors: 0,
      // The limits of signing in and of answers are watched outside.

      connectTimeout: SIGN_IN_MS_MAX,
      requestTimeout: 0,
      rowCollectionOnRequestCompletion: false,
    },
  }
}

async function called(act: (done: (error?: Error | null) => void) => void): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  act((error) => (error === undefined || error === null ? resolve() : reject(error)))
  await promise
}

interface Cell {
  readonly value: unknown
  readonly metadata: { readonly colName: string; readonly type: { readonly name: string } }
}

/** The first result of one batch of statements, as it comes; the server waits when nobody takes rows. */
class ResultReader {
  readonly columns: Promise<readonly string[]>
  /** When the server is done with it, one way or another. */
  readonly ended: Promise<void>
  readonly #request: Request
  readonly #described = Promise.withResolvers<readonly string[]>()
  readonly #rows: Row[] = []
  readonly #over = Promise.withResolvers<void>()
  #waiter: PromiseWithResolvers<void> | undefined
  #resultCount = 0
  #error: Error | undefined
  #isDone = false

  constructor(driver: Driver, connection: Connection, sql: string) {
    this.columns = this.#described.promise
    this.ended = this.#over.promise
    this.columns.catch(() => {})
    const request = new driver.Request(sql, (error) => this.#end(error ?? undefined))
    request.on('columnMetadata', (columns: unknown) => {
      this.#resultCount += 1
      this.#described.resolve((columns as { colName: string }[]).map(({ colName }) => colName))
    })
    request.on('row', (cells: unknown) => this.#add(cells as readonly Cell[]))
    this.#request = request
    connection.execSqlBatch(request)
  }

  /** Returns the next rows, at most `rowsMax`; an empty list at the end. */
  async next(rowsMax: number): Promise<readonly Row[]> {
    while (this.#rows.length === 0 && !this.#isDone) {
      this.#waiter = Promise.withResolvers()
      this.#request.resume()
      await this.#waiter.promise
    }
    if (this.#error !== undefined) throw this.#error
    return this.#rows.splice(0, rowsMax)
  }

  #add(cells: readonly Cell[]): void {
    // What a batch gives beyond its first result is not asked for.
    if (this.#resultCount > 1) return
    this.#rows.push(cells.map(({ value, metadata }) => sqlserverText(value, metadata.type.name)))
    if (this.#rows.length >= BUFFERED_ROWS) this.#request.pause()
    this.#waiter?.resolve()
  }

  #end(error: Error | undefined): void {
    this.#error = error
    this.#isDone = true
    this.#over.resolve()
    if (error === undefined) this.#described.resolve([])
    else this.#described.reject(error)
    this.#waiter?.resolve()
  }
}

class SqlserverAdapter implements DatabaseAdapter {
  readonly server: string
  readonly #driver: Driver
  readonly #connection: Connection
  #reading: ResultReader | undefined

  constructor(driver: Driver, connection: Connection, server: string) {
    this.#driver = driver
    this.#connection = connection
    this.server = server
  }

  async start(sql: string): Promise<readonly string[]> {
    requireSqlserverReading(sql)
    this.#reading = new ResultReader(this.#driver, this.#connection, sql)
    const columns = await this.#reading.columns
    if (columns.length === 0) throw new DatabaseFailure('sql', 'The statement returns no rows')
    return columns
  }

  async next(rowsMax: number): Promise<readonly Row[]> {
    return (await this.#reading?.next(rowsMax)) ?? []
  }

  async cancel(): Promise<void> {
    // An attention travels beside the rows in the same session, and the transaction goes with it.
    this.#connection.cancel()
    await this.#reading?.ended
  }

  async close(): Promise<void> {
    await called((done) => this.#connection.rollbackTransaction(done))
    this.#connection.close()
  }

  translate(error: unknown): DatabaseFailure {
    return translate(error)
  }
}

function translate(error: unknown): DatabaseFailure {
  const found = causeOf(error)
  if (found instanceof DatabaseFailure) return found
  const { code = '', message, lineNumber } = found as Error & { code?: string; lineNumber?: number }
  if (code === 'ELOGIN') {
    if (/^Login failed for user /.test(message)) {
      return new DatabaseFailure('sign_in', WRONG_PASSWORD)
    }
    return new DatabaseFailure('sign_in', message, { hasServerText: true })
  }
  if (code === 'EREQUEST') {
    const place = lineNumber === undefined ? undefined : { line: lineNumber }
    return new DatabaseFailure('sql', message, { place, hasServerText: true })
  }
  if (/SSL|TLS|certificate|CERT_|self-signed|encryption/i.test(`${code} ${message}`)) {
    return new DatabaseFailure('tls', message)
  }
  return new DatabaseFailure('lost', `The connection was lost: ${message}`)
}

/** The driver wraps what happened while it connects. */
function causeOf(error: unknown): unknown {
  const { cause } = error as { cause?: unknown }
  return cause instanceof DatabaseFailure ? cause : error
}
