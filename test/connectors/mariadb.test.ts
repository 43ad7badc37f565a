import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { DatabaseTarget } from '../../src/connectors/database/database-port.ts'
import { testDatabase } from '../support/database-conformance.ts'
import { readAll } from '../support/database-sessions.ts'
import { mariadbSkip, startMariadb } from '../support/mariadb-server.ts'
import type { DatabaseServer } from '../support/postgresql-server.ts'

describe('MariaDB', { skip: mariadbSkip() }, () => {
  let server: DatabaseServer
  before(async () => {
    server = await startMariadb()
  })
  after(() => server?.stop())
  const target = (): DatabaseTarget => ({
    ...{ kind: 'MYSQL', host: '127.0.0.1', port: server.port, database: 'weir', tls: 'off' },
    ...{ user: 'weir', password: 'the-password' },
  })

  testDatabase({
    name: 'MariaDB',
    server: () => server,
    target,
    says: /^MariaDB \d+/,
    numbers: (count) => `SELECT seq AS n, repeat('x', 40) AS t FROM seq_1_to_${count}`,
    cipher: "SHOW SESSION STATUS LIKE 'Ssl_cipher'",
    sleeps: 'SELECT SLEEP(3600)',
    sleepers:
      "SELECT count(*) FROM information_schema.processlist WHERE info = 'SELECT SLEEP(3600)'",
  })

  test('MariaDB: values come as texts without loss', async () => {
    await server.ask(`CREATE TABLE shown (
      big BIGINT UNSIGNED, exact DECIMAL(38, 18), wide DOUBLE, flag BOOLEAN, bits BIT(9),
      at TIMESTAMP(6) NULL, local DATETIME(3), day DATE, time_of TIME(1), year_of YEAR,
      bytes VARBINARY(9), blob_of BLOB, text_of TEXT, doc JSON, kind ENUM('a', 'b')
    ) CHARACTER SET utf8mb4`)
    await server.ask(`SET time_zone = '+02:00'; INSERT INTO shown VALUES
      (18446744073709551615, 12345678901234567890.123456789012345678, 0.1, TRUE, 257,
       '2026-03-05 06:07:08.123456', '2026-03-05 06:07:08.5', '2026-03-05', '-06:07:08.5', 2026,
       X'00FF10', X'', 'a"b\\n,ü😀', '{"a":1}', 'b')`)
    const { rows } = await readAll(
      target(),
      'SELECT * FROM shown UNION ALL SELECT NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL',
    )
    assert.deepEqual(
      rows[1],
      Array.from({ length: 15 }, () => null),
    )
    const {
      rows: [row],
    } = await readAll(target(), 'SELECT * FROM shown')
    assert.deepEqual(row, [
      ...['18446744073709551615', '12345678901234567890.123456789012345678', '0.1', '1', '257'],
      ...['2026-03-05T04:07:08.123456Z', '2026-03-05T06:07:08.500', '2026-03-05', '-06:07:08.5'],
      ...['2026', 'AP8Q', '', 'a"b\n,ü😀', '{"a":1}', 'b'],
    ])
  })
})
