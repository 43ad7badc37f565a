import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import type { DatabaseTarget } from '../../../src/connectors/database/database-port.ts'
import { testDatabase } from '../../support/database-conformance.ts'
import { failureOf, readAll } from '../../support/database-sessions.ts'
import { mariadbSkip } from '../../support/mariadb-server.ts'
import { type SharedServer, sharedMariadb } from '../../support/shared-databases.ts'

describe('MariaDB', { skip: mariadbSkip() }, () => {
  let server: SharedServer
  before(async () => {
    server = await sharedMariadb()
  })
  const target = (): DatabaseTarget => ({
    kind: 'MYSQL',
    host: '127.0.0.1',
    port: server.port,
    database: 'weir',
    tls: 'off',
    user: 'weir',
    password: 'the-password',
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

  test('MariaDB: no statement ends the transaction that only reads, and none writes a file', async () => {
    await server.ask('CREATE TABLE held (v INT)')
    const again = 'START TRANSACTION READ WRITE; INSERT INTO held VALUES (1); COMMIT;'
    const all = `SET SESSION TRANSACTION READ WRITE; COMMIT; ${again}`
    await server.ask(`CREATE PROCEDURE writes() BEGIN ${all} SELECT 6 AS k; END`)
    await server.ask('CREATE PROCEDURE gives_two() BEGIN SELECT 1; SELECT 2; END')
    await server.ask(
      'CREATE FUNCTION puts() RETURNS INT BEGIN INSERT INTO held VALUES (2); RETURN 1; END',
    )
    const [[folder]] = (await server.ask('SELECT @@tmpdir')) as string[][]
    const file = join(folder, 'written')
    const statements = [
      `BEGIN NOT ATOMIC ${again} END`,
      `BEGIN NOT ATOMIC ${all} SELECT 6 AS k; END`,

      'CALL writes()',
      'call gives_two()',
      'SELECT puts() AS k',
      "EXECUTE IMMEDIATE 'SELECT 1'",
      'SET @a = 1',
      'HANDLER held OPEN',
      '/*!50000 CALL writes() */',
      'ANALYZE SELECT 1',
      ...['SELECT 1 /*!50000 INTO OUTFILE', 'SELECT 1 /*M!100000 INTO OUTFILE'].map(
        (text) => `${text} '${file}' */`,
      ),
      `SELECT 1 AS k INTO OUTFILE '${file}'`,
      `SELECT 'a\\'' AS k, 1.5into/**/dumpfile '${file}'`,
      `SELECT 1 --\u00a01\n INTO OUTFILE '${file}'`,
    ]
    for (const sql of statements) {
      const { reason, message } = await failureOf(readAll(target(), sql))
      assert.equal(reason, 'sql', `${sql}: ${message}`)
    }
    assert.deepEqual(await server.ask('SELECT count(*) FROM held'), [[0]])
    assert.equal(existsSync(file), false)
  })

  test('MariaDB: all ways to read are taken, also with words of others in quotes and comments', async () => {
    const statements = [
      '(SELECT 1) UNION (SELECT 2)',
      '/* a */ -- b\n# c\nSELECT 1',
      'VALUES (1)',
      'SHOW TABLES',
      'WITH t AS (SELECT 1) SELECT * FROM t',
      'EXPLAIN SELECT 1',
      'DESC mysql.user',
      "SELECT 'it\\'s INTO OUTFILE', \"into outfile\" -- into outfile",
      'SELECT 1 AS `into`',
    ]
    for (const sql of statements) await readAll(target(), sql)
  })

  test('MariaDB: zero times are returned as they are', async () => {
    await server.ask('CREATE TABLE zeros (at TIMESTAMP NULL, local DATETIME)')
    await server.ask("SET sql_mode = ''; INSERT INTO zeros VALUES (0, 0)")
    const { rows } = await readAll(target(), 'SELECT * FROM zeros')
    assert.deepEqual(rows, [['0000-00-00 00:00:00', '0000-00-00 00:00:00']])
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
      '18446744073709551615',
      '12345678901234567890.123456789012345678',
      '0.1',
      '1',
      '257',
      '2026-03-05T04:07:08.123456Z',
      '2026-03-05T06:07:08.500',
      '2026-03-05',
      '-06:07:08.5',
      '2026',
      'AP8Q',
      '',
      'a"b\n,ü😀',
      '{"a":1}',
      'b',
    ])
  })
})
