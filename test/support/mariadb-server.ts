/** A MariaDB of Debian's package, started for a test on a free port. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createConnection } from 'mysql2/promise'
import { keepablePort } from './port.ts'
import type { DatabaseServer } from './postgresql-server.ts'
import { makeServerHome, writeCertificate } from './server-process.ts'
import { eventually } from './settle.ts'

const SERVER = '/usr/sbin/mariadbd'
const INSTALL = '/usr/bin/mariadb-install-db'

/** Whether the machine has MariaDB. */
export function hasMariadb(): boolean {
  return existsSync(SERVER) && existsSync(INSTALL)
}

/** Why tests of MariaDB cannot run here, for the `skip` option; with CI=true they must run. */
export function mariadbSkip(): string | false {
  return hasMariadb() || process.env.CI === 'true' ? false : 'no MariaDB on this machine'
}

/** Starts a server with an empty database `weir`; the caller stops it. */
export async function startMariadb(): Promise<DatabaseServer> {
  if (!hasMariadb()) throw new Error('No MariaDB found: install "mariadb-server"')
  const home = makeServerHome('mariadb', 'mysql')
  const data = join(home.folder, 'data')
  const common = ['--no-defaults', `--datadir=${data}`]
  const install = ['--auth-root-authentication-method=normal', '--skip-test-db', '--force']
  await home.run(INSTALL, [...common, ...install])
  const port = await keepablePort()
  const place = [`--port=${port}`, '--bind-address=127.0.0.1', `--socket=${join(home.folder, 's')}`]
  const small = [
    '--innodb-flush-log-at-trx-commit=0',
    '--innodb-buffer-pool-size=16M',
    '--skip-name-resolve',
  ]
  const pid = `--pid-file=${join(home.folder, 'pid')}`
  const { cert, key } = writeCertificate(home)
  const ssl = [`--ssl-cert=${cert}`, `--ssl-key=${key}`]
  const args = [...common, ...place, ...small, ...ssl, pid, `--tmpdir=${home.folder}`]
  let server = home.start(SERVER, args)
  const askAs = async (user: object, sql: string) => {
    const connection = await createConnection({ ...user, multipleStatements: true })
    try {
      const [rows] = await connection.query({ sql, rowsAsArray: true })
      return rows as unknown[][]
    } finally {
      await connection.end()
    }
  }
  const root = { socketPath: join(home.folder, 's'), user: 'root' }
  const begin = () =>
    eventually(async () => {
      if (server.ending !== undefined) throw new Error(server.ending)
      await askAs(root, 'SELECT 1')
    })
  await begin()
  await askAs(
    root,
    "CREATE USER weir@'%' IDENTIFIED BY 'the-password'; GRANT ALL ON *.* TO weir@'%'",
  )
  await askAs(root, 'CREATE DATABASE weir')
  const weir = { host: '127.0.0.1', port, user: 'weir', password: 'the-password', database: 'weir' }
  return {
    port,
    ask: (sql) => askAs(weir, sql),
    restart: async () => {
      await server.stop()
      server = home.start(SERVER, args)
      await begin()
    },
    empty: async () => {
      await askAs(root, 'DROP DATABASE weir; CREATE DATABASE weir')
    },
    stop: async () => {
      await server.stop()
      home.remove()
    },
  }
}
