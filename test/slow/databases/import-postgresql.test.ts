import { describe } from 'node:test'
import { testImports } from '../../support/import-suite.ts'
import { postgresqlSkip } from '../../support/postgresql-server.ts'
import { sharedPostgresql } from '../../support/shared-databases.ts'

describe('imports from PostgreSQL', { skip: postgresqlSkip() }, () => {
  testImports({
    kind: 'POSTGRESQL',
    start: sharedPostgresql,
    numbers: (count) => `SELECT n FROM generate_series(1, ${count}) AS n`,
    sleeps: "SELECT 'd', 1, 2 FROM pg_sleep(3600)",
  })
})
