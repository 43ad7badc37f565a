/**
 * `npm run bench:import`: rows a second that an import brings from PostgreSQL and MariaDB to durable samples, and
 * again where all rows are unchanged. Nothing here is a test: figures depend on the machine.
 */
import { startImportHome } from '../test/support/import-home.ts'
import { hasMariadb, startMariadb } from '../test/support/mariadb-server.ts'
import {
  type DatabaseServer,
  findPostgresql,
  startPostgresql,
} from '../test/support/postgresql-server.ts'

const ROWS = Number(process.env.BENCH_ROWS ?? 500_000)
const COMPONENTS = 100

const SQL = `INSERT OR REPLACE INTO SAMPLE(CID, ID, TIME, SAMPLE)
SELECT 'c' + (n % ${COMPONENTS}), 'n', n, n % ${COMPONENTS}
FROM CSV_TABLE(@JDBC_RESULT) WITH (1 n LONG, 2 t STRING);`

async function measure(
  kind: 'POSTGRESQL' | 'MYSQL',
  server: DatabaseServer,
  numbers: string,
): Promise<void> {
  const { service, home } = await startImportHome(kind, server)
  try {
    const externalSql = `SELECT n, repeat('x', 90) AS t FROM (${numbers}) AS numbers`
    const procs = [{ timeZoneId: 'UTC', sql: SQL }]
    const uid = await home.insert({ id: 'bench', externalSql, procs, skipUnchangedRows: false })
    const skipping = await home.insert({ id: 'skip', externalSql, procs })
    for (const [what, connector] of [
      ['stored', uid],
      ['stored again', uid],
      ['all skipped', skipping],
    ] as const) {
      const startedAt = performance.now()
      const { status, samples, message } = await home.run(connector)
      if (status !== 'DONE') throw new Error(message)
      const rate = Math.round(ROWS / ((performance.now() - startedAt) / 1_000))
      console.log(`${kind}: ${what}, ${rate} rows/s, ${samples} samples`)
    }
  } finally {
    await service.close()
    await server.stop()
  }
}

console.log(`${ROWS} rows of about 100 bytes`)
if (findPostgresql() === undefined) console.log('no PostgreSQL on this machine')
else {
  const numbers = `SELECT n FROM generate_series(1, ${ROWS}) AS n`
  await measure('POSTGRESQL', await startPostgresql(), numbers)
}
if (hasMariadb()) {
  await measure('MYSQL', await startMariadb(), `SELECT seq AS n FROM seq_1_to_${ROWS}`)
} else console.log('no MariaDB on this machine')
