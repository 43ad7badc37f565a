/** Places for the stores on PostgreSQL: each has a schema of its own in the database of this process's server. */
import { randomBytes } from 'node:crypto'
import { ManualClock } from '../../src/base/index.ts'
import {
  type Database,
  openPostgres,
  PostgresCatalog,
  type ReserveHandles,
} from '../../src/store/postgres/index.ts'
import type { CatalogStoreHome } from '../contract/catalog-store-home.ts'
import type { PostgresqlServer } from './postgresql-server.ts'
import { type SharedServer, sharedPostgresql } from './shared-databases.ts'

/** A schema, and how it is reached. */
export interface PostgresHome {
  readonly server: SharedServer<PostgresqlServer>
  /** As WEIR_POSTGRES_URL has it. */
  readonly url: string
  /** Opens the tables of the schema. */
  open(): Promise<Database>
  /** Runs a statement in the schema, as the superuser. */
  ask(sql: string): Promise<readonly (readonly unknown[])[]>
  dispose(): Promise<void>
}

let running: Promise<SharedServer<PostgresqlServer>> | undefined

/** Makes a schema. */
export async function makePostgresHome(): Promise<PostgresHome> {
  running ??= sharedPostgresql()
  const server = await running
  const schema = `t${randomBytes(6).toString('hex')}`
  await server.ask(`CREATE SCHEMA ${schema}`)
  const url = urlOf(server.port, schema)
  return {
    server,
    url,
    open: () => openPostgres(url),
    ask: (sql) => server.ask(`SET search_path = ${schema}; ${sql}`),
    dispose: async () => void (await server.ask(`DROP SCHEMA ${schema} CASCADE`)),
  }
}

/** The URL of a schema on one or several ports of this machine. */
export function urlOf(ports: number | readonly number[], schema: string): string {
  const hosts = [ports].flat().map((port) => `127.0.0.1:${port}`)
  const options = encodeURIComponent(`-c search_path=${schema}`)
  return `postgres://weir:the-password@${hosts.join(',')}/weir?options=${options}`
}

/** Gives handles as the store of samples would: none twice, whatever a database forgets. */
export function handleReserve(): ReserveHandles {
  let last = 0
  return async (count, floor) => {
    const first = Math.max(last, floor) + 1
    last = first + count - 1
    return first
  }
}

/** A home of the contract suites of catalogs. */
export async function makeCatalogHome(share = 1): Promise<CatalogStoreHome> {
  const home = await makePostgresHome()
  const clock = new ManualClock(1_700_000_000_000)
  const reserveHandles = handleReserve()
  return {
    clock,
    share,
    open: async () => {
      const database = await home.open()
      const catalog = new PostgresCatalog(database, { reserveHandles, clock })
      return closingBoth(catalog, database)
    },
    dispose: () => home.dispose(),
  }
}

/** The catalog, whose end is that of its connections too. */
function closingBoth(catalog: PostgresCatalog, database: Database): PostgresCatalog {
  const close = catalog.close.bind(catalog)
  catalog.close = async () => {
    await close()
    await database.close()
  }
  return catalog
}
