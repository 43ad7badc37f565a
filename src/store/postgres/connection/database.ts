/** The connections of a process to PostgreSQL: a pool on the one host that takes writes. */
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { StoreUnusable } from '../../ports/store-unusable.ts'
import { isPostgresAway, messageOfPostgres, postgresAway, sqlStateOf } from './postgres-away.ts'
import { urlsOfHosts } from './postgres-url.ts'

/** Connections of a process. PostgreSQL allows 100 by default, and a cluster has some processes. */
const CONNECTIONS_MAX = 10
const CONNECT_MS_MAX = 5_000
/** Calls that wait for a connection wait no longer than this. */
const STATEMENT_MS_MAX = 20_000
/** The client gives up after the server should have: then the server, or the way to it, is gone. */
const ANSWER_MS_MAX = 25_000
/** A process that stands still amid a transaction must not keep the others from writing. */
const IDLE_IN_TRANSACTION_MS_MAX = 10_000
const VERSION_MIN = 140_000
/** The SQLSTATE of a write to a standby. */
const READ_ONLY = '25006'
const TOO_MANY_CONNECTIONS = '53300'
/** How long a call waits for another host to become the primary, before it is refused. */
const FIND_MS_MAX = 2_000
const FIND_AGAIN_MS = 100
/** What a start waits for is looked at this often. */
const START_LOOK_MS = 500

/** SQLSTATEs of a server that refuses a connection for good: wrong password, unknown user or database, no right to connect. */
const UNUSABLE_CODES: ReadonlySet<string> = new Set(['28P01', '28000', '3D000', '42501', '55000'])

export type SqlRow = readonly unknown[]

/** A connection inside of Database.withClient() or Database.transaction(). */
export interface SqlClient {
  /** Runs a statement; statements of one connection run in the order of the calls. */
  run(sql: string, params?: readonly unknown[]): Promise<SqlResult>
}

/** The rows of a statement as arrays of their columns; `bigint` columns are numbers. */
interface SqlResult {
  readonly rows: readonly SqlRow[]
  /** The statement's name, such as COMMIT. */
  readonly command: string
  readonly rowCount: number
}

/** A connection of its own beside the pool. */
export interface SoleClient extends SqlClient {
  /** Ends it, also while the server is away. */
  end(): Promise<void>
}

/** Who hears of the notices of a channel. */
interface NoticeListener {
  readonly onNotice: (payload: string) => void
  readonly onEnd: () => void
}

/** Options of open() beside the URL. */
export interface DatabaseWatch {
  /** Called with the reason while a start waits. */
  readonly onWaiting?: (what: string) => void
  readonly signal?: AbortSignal
}

const types = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') => {
    // Every bigint of the schema is below 2^53.
    if (oid === pg.types.builtins.INT8) return Number
    return pg.types.getTypeParser(oid, format as 'text')
  }) as typeof pg.types.getTypeParser,
}

/** Settings that every connection begins with. */
const SESSION = `SET client_encoding = 'UTF8'; SET timezone = 'UTC';
  SET idle_in_transaction_session_timeout = ${IDLE_IN_TRANSACTION_MS_MAX};
  SET statement_timeout = ${STATEMENT_MS_MAX};
  SET standard_conforming_strings = on`

/** What a connection says of the server at its other end. */
const STATE = `SELECT current_setting('transaction_read_only') = 'on', current_setting('server_encoding'),
  current_setting('server_version_num')::int, current_setting('synchronous_commit')`

/** A database that is there, or may be away for a while. */
export class Database {
  readonly #urls: readonly string[]
  #pool: pg.Pool | undefined
  /** The place of the primary's host among the URLs, as far as it is known. */
  #primary = 0
  #finding: Promise<pg.Pool> | undefined
  #isAway = false
  #isClosed = false

  private constructor(urls: readonly string[]) {
    this.#urls = urls
  }

  /** Connects, and waits for a database that is not there yet; rejects when it can never be used as it is. */
  static async open(url: string, watch: DatabaseWatch = {}): Promise<Database> {
    const database = new Database(urlsOfHosts(url))
    for (;;) {
      try {
        await database.#primaryPool()
        return database
      } catch (error) {
        if (!isPostgresAway(error)) {
          await database.close()
          throw error
        }
        watch.onWaiting?.(`waits for PostgreSQL: ${messageOf(error)}`)
      }
      await pause(START_LOOK_MS, undefined, { signal: watch.signal })
    }
  }

  /** Runs one statement that reads; repeats it once where the connection was lost before an answer. */
  async read(sql: string, params: readonly unknown[] = []): Promise<readonly SqlRow[]> {
    const ask = () => this.withClient(async (client) => (await client.run(sql, params)).rows)
    try {
      return await ask()
    } catch (error) {
      const { cause } = error as { readonly cause?: unknown }
      if (!isPostgresAway(cause)) throw error
      return await ask()
    }
  }

  /** Uses a connection by itself; what fails because the database is away is refused with `store_away`. */
  async withClient<T>(use: (client: SqlClient) => Promise<T>): Promise<T> {
    const { client, pool } = await this.#connect()
    // A query that is under way is rejected; without a listener the process would end.
    if (client.listenerCount('error') === 0) client.on('error', () => {})
    let failure: unknown
    try {
      return await use(clientOf(client))
    } catch (error) {
      failure = error
      throw messageOfPostgres(error)
    } finally {
      const isBroken = failure !== undefined && isPostgresAway(failure)
      client.release(isBroken)
      if (isBroken) this.#forgetPrimary(pool)
    }
  }

  /** Runs statements in one transaction, which is rolled back when the use rejects. */
  async transaction<T>(use: (client: SqlClient) => Promise<T>, begin = 'BEGIN'): Promise<T> {
    return await this.withClient(async (client) => {
      const [, result] = await both(client.run(begin), () => use(client)).catch(async (error) => {
        if (!isPostgresAway(error)) await client.run('ROLLBACK')
        throw error
      })
      const { command } = await client.run('COMMIT')
      if (command !== 'COMMIT') throw new Error('The transaction was rolled back')
      return result
    })
  }

  /**
   * A connection to the server that takes writes, beside the pool. Its statements reject when it is lost, or when the
   * server says nothing for so long.
   */
  async connectAlone(answerMsMax: number): Promise<SoleClient> {
    const client = await this.#connectBeside({ query_timeout: answerMsMax })
    return { ...clientOf(client), end: () => client.end().catch(() => {}) }
  }

  /** Listens on a channel by a connection of its own beside the pool; `onEnd` is called when the connection ends. */
  async listen(
    channel: string,
    { onNotice, onEnd }: NoticeListener,
  ): Promise<{ end(): Promise<void> }> {
    const client = await this.#connectBeside()
    client.on('notification', ({ payload = '' }) => onNotice(payload))
    client.on('end', onEnd)
    await client.query(`LISTEN ${channel}`)
    return { end: () => client.end() }
  }

  async #connectBeside(options: pg.ClientConfig = {}): Promise<pg.Client> {
    await this.#primaryPool()
    const client = new pg.Client({ ...this.#optionsOf(this.#primary), ...options })
    client.on('error', () => {})
    try {
      await client.connect()
      await beginSession(client)
      return client
    } catch (error) {
      await client.end().catch(() => {})
      throw error
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    const pool = this.#pool
    this.#pool = undefined
    await pool?.end()
  }

  async #connect(): Promise<{ client: pg.PoolClient; pool: pg.Pool }> {
    try {
      const pool = await this.#primaryPool()
      const client = await this.#take(pool)
      if (client !== undefined) return { client, pool }
      // Nothing was sent yet. Another host may have become the primary since this process has looked.
      const other = await this.#primaryPool()
      return { client: await other.connect(), pool: other }
    } catch (error) {
      // It was there when this process started: an operator changes something, and may change it back.
      const isRefused = error instanceof StoreUnusable || UNUSABLE_CODES.has(sqlStateOf(error))
      throw isRefused ? postgresAway(error) : messageOfPostgres(error)
    }
  }

  /** A connection of a pool; undefined when its host is away. */
  async #take(pool: pg.Pool): Promise<pg.PoolClient | undefined> {
    try {
      return await pool.connect()
    } catch (error) {
      // Connections that the pool has are still good.
      if (!isPostgresAway(error) || sqlStateOf(error) === TOO_MANY_CONNECTIONS) throw error
      this.#forgetPrimary(pool)
      return undefined
    }
  }

  #primaryPool(): Promise<pg.Pool> {
    if (this.#isClosed) return Promise.reject(new Error('The database is closed'))
    if (this.#pool !== undefined) return Promise.resolve(this.#pool)
    this.#finding ??= this.#find().finally(() => {
      this.#finding = undefined
    })
    return this.#finding
  }

  /** Looks at the hosts in turn for one that takes writes, the last one that did first. */
  async #find(): Promise<pg.Pool> {
    // Calls that start while it is known to be unavailable fail at once.
    const deadline = this.#isAway ? 0 : performance.now() + FIND_MS_MAX
    for (;;) {
      const failures: unknown[] = []
      for (let step = 0; step < this.#urls.length; step++) {
        const at = (this.#primary + step) % this.#urls.length
        try {
          await this.#requirePrimary(at)
          return this.#use(at)
        } catch (error) {
          if (!isPostgresAway(error)) throw error
          failures.push(error)
        }
      }
      this.#isAway = true
      if (this.#isClosed || performance.now() > deadline) throw failures[0]
      await pause(FIND_AGAIN_MS)
    }
  }

  #use(at: number): pg.Pool {
    this.#primary = at
    this.#isAway = false
    const pool = new pg.Pool({
      ...this.#optionsOf(at),
      max: CONNECTIONS_MAX,
      idleTimeoutMillis: 60_000,
      onConnect: async (client: pg.ClientBase) => void (await beginSession(client)),
    } as pg.PoolConfig)
    // Called with idle connections that end.
    pool.on('error', () => {})
    this.#pool = pool
    return pool
  }

  async #requirePrimary(at: number): Promise<void> {
    const client = new pg.Client(this.#optionsOf(at))
    client.on('error', () => {})
    try {
      await client.connect()
      requireUsable(await beginSession(client))
    } catch (error) {
      if (UNUSABLE_CODES.has(sqlStateOf(error))) {
        throw new StoreUnusable('settings', `PostgreSQL refuses Weir: ${messageOf(error)}`)
      }
      throw error
    } finally {
      await client.end().catch(() => {})
    }
  }

  #optionsOf(at: number): pg.ClientConfig {
    return {
      connectionString: this.#urls[at],
      application_name: 'weir',
      connectionTimeoutMillis: CONNECT_MS_MAX,
      query_timeout: ANSWER_MS_MAX,
      keepAlive: true,
      keepAliveInitialDelayMillis: 5_000,
      pipeline: true,
      types,
    } as pg.ClientConfig
  }

  /** The next call looks for the primary again; calls that run on other connections of the pool go on. */
  #forgetPrimary(pool: pg.Pool): void {
    if (this.#pool !== pool) return
    this.#pool = undefined
    void pool.end().catch(() => {})
  }
}

interface ServerState {
  readonly isReadOnly: boolean
  readonly encoding: string
  readonly version: number
}

/** Brings a new connection into the state that all have; rejects on a server that takes no writes. */
async function beginSession(client: pg.ClientBase): Promise<ServerState> {
  await client.query(SESSION)
  const { rows } = await client.query({ text: STATE, rowMode: 'array' })
  const [isReadOnly, encoding, version, synchronous] = rows[0] as [boolean, string, number, string]
  if (isReadOnly) throw Object.assign(new Error('the server takes no writes'), { code: READ_ONLY })
  // What was acknowledged must survive a crash, whatever the server does for others.
  if (synchronous === 'off' || synchronous === 'local') {
    await client.query('SET synchronous_commit = on')
  }
  return { isReadOnly, encoding, version }
}

function requireUsable({ encoding, version }: ServerState): void {
  if (encoding !== 'UTF8') {
    const what = `The database has the encoding ${encoding}: create one with ENCODING 'UTF8'`
    throw new StoreUnusable('settings', what)
  }
  if (version >= VERSION_MIN) return
  const major = Math.floor(version / 10_000)
  throw new StoreUnusable(
    'settings',
    `Weir needs PostgreSQL 14 or later, and the server is ${major}`,
  )
}

function clientOf(client: pg.ClientBase): SqlClient {
  return {
    run: async (sql, params = []) => {
      const named = params.length === 0 ? undefined : nameOf(sql)
      const query = { name: named, text: sql, values: [...params], rowMode: 'array' as const }
      const { rows, command, rowCount } = await client.query(query)
      return { rows: rows as SqlRow[], command, rowCount: rowCount ?? 0 }
    },
  }
}

const names = new Map<string, string>()

/** Statements with parameters are prepared once on each connection; there are some dozens of them. */
function nameOf(sql: string): string {
  let name = names.get(sql)
  if (name === undefined) {
    name = `weir_${names.size}`
    names.set(sql, name)
  }
  return name
}

/** Sends the first and what depends on it at once; rejects as the first does, if it does. */
async function both<A, B>(first: Promise<A>, second: () => Promise<B>): Promise<[A, B]> {
  const [one, other] = await Promise.allSettled([first, second()])
  if (one.status === 'rejected') throw one.reason
  if (other.status === 'rejected') throw other.reason
  return [one.value, other.value]
}

function messageOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(messageOf).join('; ')
  const { cause } = error as { readonly cause?: unknown }
  if (cause instanceof Error) return cause.message
  return error instanceof Error ? error.message : String(error)
}
