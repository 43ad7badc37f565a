import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { DatabaseTarget } from '../../../src/connectors/database/database-port.ts'
import { testDatabase } from '../../support/database-conformance.ts'
import { failureOf, openLocal, readAll } from '../../support/database-sessions.ts'
import { postgresqlSkip } from '../../support/postgresql-server.ts'
import { type SharedServer, sharedPostgresql } from '../../support/shared-databases.ts'

describe('PostgreSQL', { skip: postgresqlSkip() }, () => {
  let server: SharedServer
  before(async () => {
    server = await sharedPostgresql()
  })
  const target = (): DatabaseTarget => ({
    kind: 'POSTGRESQL',
    host: '127.0.0.1',
    port: server.port,
    database: 'weir',
    tls: 'off',
    user: 'weir',
    password: 'the-password',
  })

  testDatabase({
    name: 'PostgreSQL',
    server: () => server,
    target,
    says: /^PostgreSQL \d+/,
    numbers: (count) => `SELECT n, repeat('x', 40) AS t FROM generate_series(1, ${count}) AS n`,
    cipher: 'SELECT cipher FROM pg_stat_ssl WHERE pid = pg_backend_pid()',
    sleeps: 'SELECT pg_sleep(3600)',
    sleepers:
      "SELECT count(*) FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(3600)' AND state = 'active'",
  })

  test('PostgreSQL: a missing password is reported as such', async () => {
    const { reason, message } = await failureOf(openLocal({ ...target(), password: '' }))
    assert.equal(reason, 'sign_in', message)
    assert.match(message, /requests a password/)
  })

  test('PostgreSQL: a statement with parameters is a mistake in the SQL', async () => {
    const { reason, message } = await failureOf(readAll(target(), 'SELECT $1'))
    assert.equal(reason, 'sql', message)
    assert.match(message, /has parameters, such as \$1/)
  })

  test('PostgreSQL: values come as texts without loss', async () => {
    const expected = new Map<string, string | null>()
    const check = (expression: string, text: string | null) => expected.set(expression, text)
    check('NULL::int', null)
    check("''", '')
    check('9223372036854775807::bigint', '9223372036854775807')
    check(
      '12345678901234567890.123456789012345678::numeric',
      '12345678901234567890.123456789012345678',
    )
    check('0.1::real', '0.1')
    check('0.1::float8 + 0.2', '0.30000000000000004')
    check("'NaN'::float8", 'NaN')
    check('true', 'true')
    check('false', 'false')
    check(`E'a"b\\n,ü😀'`, 'a"b\n,ü😀')
    check("'2026-03-05 06:07:08.123456+02'::timestamptz", '2026-03-05T04:07:08.123456Z')
    check("'2026-03-05 06:07:08'::timestamp", '2026-03-05T06:07:08')
    check("'2026-03-05'::date", '2026-03-05')
    check("'06:07:08.5'::time", '06:07:08.5')
    check("'1 day 2 hours'::interval", 'P1DT2H')
    check("'infinity'::timestamptz", 'infinity')
    check("'\\x00ff10'::bytea", 'AP8Q')
    check("''::bytea", '')
    check(`'{"a":1}'::jsonb`, '{"a": 1}')
    check('ARRAY[1,2]', '{1,2}')
    check("'6F9619FF-8B86-D011-B42D-00C04FC964FF'::uuid", '6f9619ff-8b86-d011-b42d-00c04fc964ff')
    const { rows } = await readAll(target(), `SELECT ${[...expected.keys()].join(', ')}`)
    const found = [...expected.keys()].map((expression, at) => [expression, rows[0][at]] as const)
    assert.deepEqual(new Map(found), expected)
    assert.equal(rows.length, 1)
  })
})
