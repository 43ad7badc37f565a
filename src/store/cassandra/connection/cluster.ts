/** The one place that speaks CQL: statements are prepared, at QUORUM, and errors are those of the ports. */
import { setTimeout as pause } from 'node:timers/promises'
import cassandra, { type QueryOptions, type types } from 'cassandra-driver'
import { askAgain } from './ask-again.ts'
import { awayRefusal, messageOf } from './away.ts'
import { untilKnown } from './behind.ts'
import type { ClusterSettings } from './cluster-settings.ts'
import { connectClient } from './connect-client.ts'
import type { TendedClient } from './tended-client.ts'

/** A row, by the names of its columns; `bigint` columns are of type bigint, blobs are Buffers. */
export type CqlRow = Readonly<Record<string, unknown>>

/** A statement with what stands for its question marks. */
export interface CqlStatement {
  readonly cql: string
  readonly params: readonly unknown[]
}

/** How one statement is run. */
interface RunOptions {
  /** Microseconds: which of two writes of a cell wins. Else the time of the call. */
  readonly timestamp?: bigint | number
  /** Rows of a page; then only the first page is answered. */
  readonly fetchSize?: number
  /** A read that sees and settles lightweight transactions that are under way. */
  readonly isSerial?: boolean
}

/** Statements of one runAll() that are under way at once: more only wait inside the nodes. */
const IN_FLIGHT_MAX = 64

/** Nodes that have a number of their own. */
const NODES_MAX = 10_000

/** Rows of a page when all are asked for. */
const PAGE_ROWS = 5_000

/** Changes of the schema are agreed upon by all nodes. */
const ALTER_MS = 60_000
const LOOK_MS = 50

const { quorum, serial } = cassandra.types.consistencies

/** Options of open() beside the contact points. */
export interface ClusterWatch {
  /** Called with the reason while a start waits, and while a statement waits for a node that is behind. */
  readonly onWaiting?: (what: string) => void
  /** Ends the waiting. */
  readonly signal?: AbortSignal
}

/** A connection to the keyspace of a cluster, shared by all stores of a process. */
export class Cluster {
  readonly settings: ClusterSettings
  readonly #client: cassandra.Client
  readonly #end: () => Promise<void>
  readonly #onWaiting: ClusterWatch['onWaiting']
  /** Called when the connection ends, so that nobody goes on waiting for it. */
  readonly #ending = new AbortController()
  readonly #nodes = new Map<string, number>()

  private constructor(
    settings: ClusterSettings,
    { client, end, onWaiting }: TendedClient & Pick<ClusterWatch, 'onWaiting'>,
  ) {
    this.settings = settings
    this.#client = client
    this.#end = end
    this.#onWaiting = onWaiting
  }

  /** Connects, and waits for a cluster that is not there yet; the keyspace must exist. */
  static async open(settings: ClusterSettings, watch: ClusterWatch = {}): Promise<Cluster> {
    const tended = await connectClient(settings, { ...watch, keyspace: settings.keyspace })
    return new Cluster(settings, { ...tended, onWaiting: watch.onWaiting })
  }

  /** Runs a statement that may be repeated without harm; answers its rows. */
  async run(
    cql: string,
    params: readonly unknown[] = [],
    options: RunOptions = {},
  ): Promise<readonly CqlRow[]> {
    const { fetchSize, isSerial = false } = options
    const consistency = isSerial ? serial : quorum
    const asked = { ...optionsOf(options), fetchSize: fetchSize ?? PAGE_ROWS, consistency }
    const result = await this.#execute(cql, params, asked)
    if (fetchSize !== undefined || result.pageState === null || result.pageState === undefined) {
      return result.rows ?? []
    }
    const rows: CqlRow[] = [...result.rows]
    for await (const page of this.#pagesFrom({ cql, params }, PAGE_ROWS, result.pageState)) {
      rows.push(...page)
    }
    return rows
  }

  /** Runs a lightweight transaction; rejects with `store_away` also when nobody knows whether it was made. */
  async cas(
    cql: string,
    params: readonly unknown[],
  ): Promise<{ isApplied: boolean; row?: CqlRow }> {
    const result = await this.#execute(cql, params, { ...CAS, fetchSize: 0 })
    return { isApplied: result.wasApplied(), row: result.first() ?? undefined }
  }

  /** As cas(), for several conditional statements of one partition, which are made together or not at all. */
  async casBatch(statements: readonly CqlStatement[]): Promise<{ isApplied: boolean }> {
    const result = await this.#batch(statements, CAS)
    return { isApplied: result.wasApplied() }
  }

  /** Sends statements in one frame; those of one partition are made together or not at all. */
  async batch(statements: readonly CqlStatement[], options: RunOptions = {}): Promise<void> {
    await this.#batch(statements, { ...optionsOf(options), consistency: quorum })
  }

  /** Runs statements of any partitions, some at once; rejects after all have ended when one failed. */
  async runAll(statements: readonly CqlStatement[], options: RunOptions = {}): Promise<void> {
    await this.inParallel(statements, ({ cql, params }) => this.run(cql, params, options))
  }

  /** Runs a task for each item, some at once; answers the results in the order of the items. */
  async inParallel<T, R>(items: readonly T[], task: (item: T) => Promise<R>): Promise<R[]> {
    const results: R[] = new Array(items.length)
    let next = 0
    const failures: unknown[] = []
    const work = async () => {
      while (next < items.length && failures.length === 0) {
        const at = next++
        try {
          results[at] = await task(items[at])
        } catch (error) {
          failures.push(error)
        }
      }
    }
    await Promise.all(Array.from({ length: Math.min(IN_FLIGHT_MAX, items.length) }, work))
    if (failures.length > 0) throw failures[0]
    return results
  }

  /** The rows of a statement, page by page: never more than a page is held. */
  pages(
    cql: string,
    params: readonly unknown[],
    fetchSize: number,
  ): AsyncIterable<readonly CqlRow[]> {
    return this.#pagesFrom({ cql, params }, fetchSize)
  }

  /** A number for the node that has the first copy of a partition: rows of one node share a frame best. */
  nodeOf(partitionKey: Buffer): number {
    const [first] = this.#client.getReplicas(this.settings.keyspace, partitionKey) ?? []
    if (first === undefined) return 0
    const known = this.#nodes.get(first.address)
    if (known !== undefined) return known
    // Nodes that come and go are few; a number that stands for two only parts the rows less well.
    const number = (this.#nodes.size + 1) % NODES_MAX
    if (this.#nodes.size < NODES_MAX) this.#nodes.set(first.address, number)
    return number
  }

  /**
   * Changes the schema, and waits until all nodes know it. All processes send such statements to the same node while
   * it is up, which makes them one after the other: two nodes that make one table at once make two.
   */
  async alter(...statements: readonly string[]): Promise<void> {
    const hosts = this.#client.hosts.values().filter((one) => one.isUp())
    const [host] = hosts.sort((a, b) => (a.address < b.address ? -1 : 1))
    const options = { prepare: false, isIdempotent: true, readTimeout: ALTER_MS }
    for (const cql of statements) {
      await this.#execute(cql, [], { ...options, host })
      await this.#untilAgreed()
    }
  }

  /**
   * Waits after each change until all nodes know it: a busy node drops what it has not got round to within seconds,
   * and may never ask for it. A table that was there already may be another process's of a moment ago.
   */
  async #untilAgreed(): Promise<void> {
    const deadline = performance.now() + ALTER_MS
    while (!(await this.#isAgreed())) {
      if (performance.now() > deadline) throw awayRefusal(new Error('the nodes do not agree'))
      await pause(LOOK_MS)
    }
  }

  /** Ends the connection within a bounded time, also while the cluster is away; what runs is refused. */
  async close(): Promise<void> {
    this.#ending.abort()
    await this.#end()
  }

  async *#pagesFrom(
    { cql, params }: CqlStatement,
    fetchSize: number,
    from?: string,
  ): AsyncGenerator<readonly CqlRow[]> {
    let pageState: string | null | undefined = from
    do {
      const options = { ...optionsOf({}), consistency: quorum, fetchSize }
      const result: types.ResultSet = await this.#execute(cql, params, {
        ...options,
        pageState: pageState ?? undefined,
      })
      yield result.rows ?? []
      pageState = result.pageState
    } while (pageState !== null && pageState !== undefined)
  }

  async #execute(
    cql: string,
    params: readonly unknown[],
    options: QueryOptions,
  ): Promise<types.ResultSet> {
    return await this.#asked(() => this.#client.execute(cql, [...params], options), options)
  }

  async #batch(
    statements: readonly CqlStatement[],
    options: QueryOptions,
  ): Promise<types.ResultSet> {
    const queries = statements.map(({ cql, params }) => ({ query: cql, params: [...params] }))
    const ask = () => this.#client.batch(queries, { ...options, logged: false })
    return await this.#asked(ask, options)
  }

  async #asked(
    ask: () => Promise<types.ResultSet>,
    { isIdempotent = false }: QueryOptions,
  ): Promise<types.ResultSet> {
    const watch = { onWaiting: this.#onWaiting, signal: this.#ending.signal }
    try {
      return await untilKnown(() => askAgain(ask, { isIdempotent }), {
        ...watch,
        isIdempotent,
        isAgreed: () => this.#isAgreed(),
      })
    } catch (error) {
      throw messageOf(error)
    }
  }

  /** Whether all nodes have the same schema; those that are away hear of it when they come back. */
  async #isAgreed(): Promise<boolean> {
    const up = this.#client.hosts.values().filter((host) => host.isUp())
    const asked = up.map(async (host) => {
      const cql = 'SELECT schema_version FROM system.local'
      const { rows } = await this.#client.execute(cql, [], { host })
      return String(rows[0].schema_version)
    })
    const answered = await Promise.allSettled(asked)
    const versions = answered.map((one) => (one.status === 'fulfilled' ? one.value : undefined))
    return versions[0] !== undefined && new Set(versions).size === 1
  }
}

const CAS = {
  prepare: true,
  consistency: quorum,
  serialConsistency: serial,
  isIdempotent: false,
}

function optionsOf({ timestamp }: RunOptions): QueryOptions {
  const options = { prepare: true, isIdempotent: true }
  return timestamp === undefined ? options : { ...options, timestamp: longOf(timestamp) }
}

function longOf(value: bigint | number): cassandra.types.Long {
  return cassandra.types.Long.fromNumber(Number(value))
}
