/** What every database behind the port has to do, on a real server of each kind. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DatabaseTarget } from '../../src/connectors/database/database-port.ts'
import { startCuttingProxy } from './cutting-proxy.ts'
import { failureOf, openLocal, readAll } from './database-sessions.ts'
import { eventually } from './settle.ts'
import type { SharedServer } from './shared-databases.ts'

/** A kind of database, in its own words. */
export interface DatabaseUnderTest {
  readonly name: string
  server(): SharedServer
  target(): DatabaseTarget
  /** What its sessions say the server is. */
  readonly says: RegExp
  /** Gives the numbers from 1 on, as a column `n` and a text of 40 characters. */
  numbers(count: number): string
  /** Takes much longer than any test. */
  readonly sleeps: string
  /** Gives the cipher of the session as the last cell of its row. */
  readonly cipher: string
  /** How many sessions are busy with that. */
  readonly sleepers: string
}

/** Adds the tests of a kind. */
export function testDatabase(kind: DatabaseUnderTest): void {
  const { name } = kind
  testEncryption(kind)
  testReading(kind)
  testRefusing(kind)

  test(`${name}: a statement that is called off ends, here and on the server`, async () => {
    const calling = new AbortController()
    const session = await openLocal(kind.target(), { signal: calling.signal })
    const reading = failureOf(session.read(kind.sleeps).next())
    const sleepers = async () => Number((await kind.server().ask(kind.sleepers))[0][0])
    await eventually(async () => assert.equal(await sleepers(), 1))
    calling.abort()
    assert.equal((await reading).reason, 'cancelled')
    await eventually(async () => assert.equal(await sleepers(), 0))
  })

  test(`${name}: a statement that gives nothing in time is ended`, async () => {
    const session = await openLocal(kind.target(), { limits: { answerMs: 1_000 } })
    const { reason, message } = await failureOf(session.read(kind.sleeps).next())
    assert.equal(reason, 'timeout', message)
    await eventually(async () =>
      assert.equal(Number((await kind.server().ask(kind.sleepers))[0][0]), 0),
    )
  })

  test(`${name}: a connection that breaks while rows are read is reported`, async () => {
    const proxy = await startCuttingProxy(kind.server().port, 300_000)
    try {
      const target = { ...kind.target(), port: proxy.port }
      const { reason, message } = await failureOf(readAll(target, kind.numbers(50_000)))
      assert.equal(reason, 'lost', message)
    } finally {
      proxy.close()
    }
  })
}

function testEncryption(kind: DatabaseUnderTest): void {
  const { name } = kind
  test(`${name}: a session is encrypted where it should be, and a certificate of nobody is refused`, async () => {
    const { rows } = await readAll({ ...kind.target(), tls: 'on' }, kind.cipher)
    assert.match(rows[0]?.at(-1) ?? '', /^TLS_/)
    const plain = await readAll(kind.target(), kind.cipher)
    assert.doesNotMatch(plain.rows[0]?.at(-1) ?? '', /TLS/)
    const verified = { ...kind.target(), host: 'localhost', tls: 'verify' } as const
    const { reason, message } = await failureOf(openLocal(verified))
    assert.equal(reason, 'tls', message)
  })
}

function testReading(kind: DatabaseUnderTest): void {
  const { name } = kind
  test(`${name}: a session tells what the server is`, async () => {
    const session = await openLocal(kind.target())
    assert.match(session.server, kind.says)
    await session.close()
  })

  test(`${name}: rows come in order and in batches, at most as many as asked for`, async () => {
    const all = await readAll(kind.target(), kind.numbers(20_000))
    assert.deepEqual(
      all.rows.map(([n]) => Number(n)),
      Array.from({ length: 20_000 }, (_, at) => at + 1),
    )
    assert.ok(all.batches > 5, `${all.batches} batches`)
    const some = await readAll(kind.target(), kind.numbers(20_000), 1_000)
    assert.equal(some.rows.length, 1_000)
  })

  test(`${name}: a thousand of ten million rows are had without the others`, async () => {
    const { rows } = await readAll(kind.target(), kind.numbers(10_000_000), 1_000)
    assert.equal(rows.at(-1)?.[0], '1000')
  })

  test(`${name}: a result without rows has its columns, and names may come twice`, async () => {
    const sql = 'SELECT 1 AS a, 2 AS a, 3 AS b WHERE 1 = 0'
    const dual = kind.target().kind === 'MYSQL' ? sql.replace('WHERE', 'FROM DUAL WHERE') : sql
    const { columns, rows, batches } = await readAll(kind.target(), dual)
    assert.deepEqual({ columns, rows, batches }, { columns: ['a', 'a', 'b'], rows: [], batches: 1 })
  })
}

function testRefusing(kind: DatabaseUnderTest): void {
  const { name } = kind
  test(`${name}: a wrong password gets a fixed message, and an unknown database the server's words`, async () => {
    const wrong = await failureOf(openLocal({ ...kind.target(), password: 'another' }))
    assert.equal(wrong.reason, 'sign_in', wrong.message)
    assert.equal(wrong.message, 'The server rejected the user name or password')
    const unknown = await failureOf(openLocal({ ...kind.target(), database: 'nowhere' }))
    assert.equal(unknown.reason, 'sign_in', unknown.message)
    assert.match(unknown.message, /nowhere/)
  })

  test(`${name}: a statement that fails is reported with its position`, async () => {
    const { reason, message, place } = await failureOf(
      readAll(kind.target(), 'SELECT 1,\n  nothing'),
    )
    assert.equal(reason, 'sql', message)
    assert.match(message, /nothing/)
    if (kind.target().kind === 'POSTGRESQL') assert.deepEqual(place, { line: 2, column: 3 })
    const syntax = await failureOf(readAll(kind.target(), 'SELECT 1,\n FROM'))
    assert.equal(syntax.place?.line, 2, syntax.message)
  })

  test(`${name}: nothing is written, and no second statement is run`, async () => {
    await kind.server().ask('CREATE TABLE kept (v INT)')
    await kind.server().ask('INSERT INTO kept VALUES (1)')
    const statements = [
      'INSERT INTO kept VALUES (2)',
      'DELETE FROM kept',
      'DROP TABLE kept',
      'COMMIT',
      'SELECT 1; DELETE FROM kept',
      'COMMIT; DELETE FROM kept',
      '',
    ]
    for (const sql of statements) {
      const { reason, message } = await failureOf(readAll(kind.target(), sql))
      assert.equal(reason, 'sql', `${sql}: ${message}`)
    }
    assert.equal(String((await kind.server().ask('SELECT sum(v) FROM kept'))[0][0]), '1')
  })
}
