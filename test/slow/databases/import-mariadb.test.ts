import { describe } from 'node:test'
import { testImports } from '../../support/import-suite.ts'
import { mariadbSkip } from '../../support/mariadb-server.ts'
import { sharedMariadb } from '../../support/shared-databases.ts'

describe('imports from MariaDB', { skip: mariadbSkip() }, () => {
  testImports({
    kind: 'MYSQL',
    start: sharedMariadb,
    numbers: (count) => `SELECT seq AS n FROM seq_1_to_${count}`,
    sleeps: "SELECT 'd', 1, SLEEP(3600)",
  })
})
