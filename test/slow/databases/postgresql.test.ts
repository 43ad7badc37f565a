import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { DatabaseTarget } from '../../../src/connectors/database/database-port.ts'
import { testDatabase } from '../../support/database-conformance.ts'
import { failureOf, openLocal, readAll } from '../../support/database-sessions.ts'
import {
  type DatabaseServer,
  postgresqlSkip,
  startPostgresql,
} from '../../support/postgresql-server.ts'

describe('PostgreSQL', { skip: postgresqlSkip() }, () => {
  let server: DatabaseServer
  before(async () => {
    server = await startPostgresql()
  })
  after(() => server?.stop())
  const target = (): DatabaseTarget => ({
    ...{ kind: 'POSTGRESQL', host: '127.0.0.1', port: server.port, database: 'weir', tls: 'off' },
    ...{ user: 'weir', password: 'the-password' },
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

  test('PostgreSQL: a password that is not there is told as such', async () => {
    const { reason, message } = await failureOf(openLocal({ ...target(), password: '' }))
    assert.equal(reason, 'sign_in', message)
    assert.match(message, /asks for a password/)
  })

  test('PostgreSQL: values come as texts without loss', async () => {
    const check = async (expression: string, expected: string | null) => {
      const { rows } = await readAll(target(), `SELECT ${expression} AS v`)
      assert.deepEqual(rows, [[expected]], expression)
    }
    await check('NULL::int', null)
    await check("''", '')
    await check('9223372036854775807::bigint', '9223372036854775807')
    await check(
      '12345678901234567890.123456789012345678::numeric',
      '12345678901234567890.123456789012345678',
    )
    await check('0.1::real', '0.1')
    await check('0.1::float8 + 0.2', '0.30000000000000004')
    await check("'NaN'::float8", 'NaN')
    await check('true', 'true')
    await check('false', 'false')
    await check(`E'a"b\\n,ü😀'`, 'a"b\n,ü😀')
    await check("'2026-03-05 06:07:08.123456+02'::timestamptz", '2026-03-05T04:07:08.123456Z')
    await check("'2026-03-05 06:07:08'::timestamp", '2026-03-05T06:07:08')
    await check("'2026-03-05'::date", '2026-03-05')
    await check("'06:07:08.5'::time", '06:07:08.5')
    await check("'1 day 2 hours'::interval", 'P1DT2H')
    await check("'infinity'::timestamptz", 'infinity')
    await check("'\\x00ff10'::bytea", 'AP8Q')
    await check("''::bytea", '')
    await check(`'{"a":1}'::jsonb`, '{"a": 1}')
    await check('ARRAY[1,2]', '{1,2}')
    await check(
      "'6F9619FF-8B86-D011-B42D-00C04FC964FF'::uuid",
      '6f9619ff-8b86-d011-b42d-00c04fc964ff',
    )
  })
})
