/** A PostgreSQL of Debian's package, started for a test on a free port. */
import { globSync } from 'node:fs'
import { dirname, join } from 'node:path'
import pg from 'pg'
import { keepablePort } from './port.ts'
import { makeServerHome, writeCertificate } from './server-process.ts'
import { eventually } from './settle.ts'

/** A database server that runs; its superuser is `weir`, with the password `the-password`. */
export interface DatabaseServer {
  readonly port: number
  /** Runs statements as the superuser; the rows of the last. */
  ask(sql: string): Promise<readonly (readonly unknown[])[]>
  /** Ends the server at once and starts it again on the same port. */
  restart(): Promise<void>
  /** Replaces the database `weir` by an empty one. */
  empty(): Promise<void>
  stop(): Promise<void>
}

/** The folder of the newest PostgreSQL on the machine, or undefined. */
export function findPostgresql(): string | undefined {
  const versions = globSync('/usr/lib/postgresql/*/bin/initdb')
  const number = (path: string) => Number(/postgresql\/(\d+)/.exec(path)?.[1])
  const newest = versions.sort((a, b) => number(b) - number(a))[0]
  return newest === undefined ? undefined : dirname(newest)
}

/** Why tests of PostgreSQL cannot run here, for the `skip` option; with CI=true they must run. */
export function postgresqlSkip(): string | false {
  if (findPostgresql() !== undefined || process.env.CI === 'true') return false
  return 'no PostgreSQL on this machine'
}

/** Starts a server with an empty database `weir`; the caller stops it. */
export async function startPostgresql(): Promise<DatabaseServer> {
  const programs = findPostgresql()
  if (programs === undefined) throw new Error('No PostgreSQL found: install "postgresql"')
  const home = makeServerHome('postgresql', 'postgres')
  const data = join(home.folder, 'data')
  const passwordFile = home.write('password', 'the-password\n')
  const { cert, key } = writeCertificate(home)
  const initial = ['-D', data, '-U', 'weir', `--pwfile=${passwordFile}`, '--auth=scram-sha-256']
  await home.run(join(programs, 'initdb'), [...initial, '--no-sync', '--no-locale', '-E', 'UTF8'])
  const port = await keepablePort()
  const settings = [
    'listen_addresses=127.0.0.1',
    'fsync=off',
    `unix_socket_directories=${home.folder}`,
  ]
  settings.push('ssl=on', `ssl_cert_file=${cert}`, `ssl_key_file=${key}`)
  const args = ['-D', data, '-p', String(port), ...settings.flatMap((one) => ['-c', one])]
  let server = home.start(join(programs, 'postgres'), args)
  const ask = async (sql: string, database = 'weir') => {
    const client = new pg.Client({
      ...{ host: '127.0.0.1', port, user: 'weir', password: 'the-password', database },
    })
    client.on('error', () => {})
    await client.connect()
    try {
      const result = (await client.query({ text: sql, rowMode: 'array' })) as unknown
      const last = Array.isArray(result) ? result.at(-1) : result
      return (last as { rows: unknown[][] }).rows
    } finally {
      await client.end()
    }
  }
  const begin = () =>
    eventually(async () => {
      if (server.ending !== undefined) throw new Error(server.ending)
      await ask('SELECT 1', 'postgres')
    })
  await begin()
  await ask('CREATE DATABASE weir', 'postgres')
  return {
    port,
    ask,
    restart: async () => {
      await server.stop()
      server = home.start(join(programs, 'postgres'), args)
      await begin()
    },
    empty: async () => {
      await ask('DROP DATABASE weir WITH (FORCE)', 'postgres')
      await ask('CREATE DATABASE weir', 'postgres')
    },
    stop: async () => {
      await server.stop()
      home.remove()
    },
  }
}
