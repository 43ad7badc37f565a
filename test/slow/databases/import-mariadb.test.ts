import { describe } from 'node:test'
import { testImports } from '../../support/import-suite.ts'
import { mariadbSkip, startMariadb } from '../../support/mariadb-server.ts'

describe('imports from MariaDB', { skip: mariadbSkip() }, () => {
  testImports({
    kind: 'MYSQL',
    start: startMariadb,
    numbers: (count) => `SELECT seq AS n FROM seq_1_to_${count}`,
    sleeps: "SELECT 'd', 1, SLEEP(3600)",
  })
})
