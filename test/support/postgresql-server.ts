/** A PostgreSQL of Debian's package, started for a test on a free port. */
import { globSync } from 'node:fs'
import { dirname, join } from 'node:path'
import pg from 'pg'
import { keepablePort } from './port.ts'
import { makeServerHome, type ServerHome, writeCertificate } from './server-process.ts'
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

/** A PostgreSQL that runs. */
export interface PostgresqlServer extends DatabaseServer {
  /** Ends the server at once; restart() starts it again. */
  kill(): Promise<void>
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
export async function startPostgresql(): Promise<PostgresqlServer> {
  const programs = requirePrograms()
  const home = makeServerHome('postgresql', 'postgres')
  const data = join(home.folder, 'data')
  const passwordFile = home.write('password', `${PASSWORD}\n`)
  const initial = ['-D', data, '-U', 'weir', `--pwfile=${passwordFile}`, '--auth=scram-sha-256']
  await home.run(join(programs, 'initdb'), [...initial, '--no-sync', '--no-locale', '-E', 'UTF8'])
  const server = await runServer(programs, home, data)
  await server.ask('CREATE DATABASE weir', 'postgres')
  return {
    ...server,
    empty: async () => {
      await server.ask('DROP DATABASE weir WITH (FORCE)', 'postgres')
      await server.ask('CREATE DATABASE weir', 'postgres')
    },
  }
}

/** A copy of a server that follows it by streaming, and takes no writes until it is promoted. */
export interface StandbyServer extends Omit<PostgresqlServer, 'empty'> {
  promote(): Promise<void>
}

/** Starts a standby of a server that runs. */
export async function startStandby(primary: { readonly port: number }): Promise<StandbyServer> {
  const programs = requirePrograms()
  const home = makeServerHome('standby', 'postgres')
  const data = join(home.folder, 'data')
  const from = `postgres://weir:${PASSWORD}@127.0.0.1:${primary.port}/postgres`
  const args = ['-d', from, '-D', data, '--write-recovery-conf', '--checkpoint=fast', '--no-sync']
  await home.run(join(programs, 'pg_basebackup'), args)
  const server = await runServer(programs, home, data)
  const promote = async () => void (await server.ask('SELECT pg_promote(true, 60)', 'postgres'))
  return { ...server, promote }
}

const PASSWORD = 'the-password'

function requirePrograms(): string {
  const programs = findPostgresql()
  if (programs === undefined) throw new Error('No PostgreSQL found: install "postgresql"')
  return programs
}

/** Runs a server over a folder of data. */
async function runServer(programs: string, home: ServerHome, data: string) {
  const { cert, key } = writeCertificate(home)
  const port = await keepablePort()
  const settings = [
    'listen_addresses=127.0.0.1',
    'fsync=off',
    `unix_socket_directories=${home.folder}`,
  ]
  settings.push('ssl=on', `ssl_cert_file=${cert}`, `ssl_key_file=${key}`)
  const args = ['-D', data, '-p', String(port), ...settings.flatMap((one) => ['-c', one])]
  const start = () => home.start(join(programs, 'postgres'), args)
  let server = start()
  const ask = async (sql: string, database = 'weir') => {
    const client = new pg.Client({
      host: '127.0.0.1',
      port,
      user: 'weir',
      password: PASSWORD,
      database,
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
      if (server.ending !== undefined) {
        const { ending } = server
        // Children of one that was killed may still have its memory: then the next does not start.
        server = start()
        throw new Error(ending)
      }
      await ask('SELECT 1', 'postgres')
    })
  await begin()
  const kill = () => server.stop()
  return {
    port,
    ask,
    kill,
    restart: async () => {
      await kill()
      server = start()
      await begin()
    },
    stop: async () => {
      await kill()
      home.remove()
    },
  }
}
