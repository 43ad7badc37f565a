import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import type { DatabaseTarget } from '../../src/connectors/database/database-port.ts'
import { failureOf, openLocal, readAll } from '../support/database-sessions.ts'
import { eventually } from '../support/settle.ts'
import {
  startTdsServer,
  type TdsAnswer,
  type TdsColumn,
  type TdsServer,
} from '../support/tds-server.ts'

let server: TdsServer
afterEach(() => server?.close())

const NONE: TdsAnswer = { columns: [], rows: [] }
const COLLATION = [0x09, 0x04, 0xd0, 0x00, 0x34]
const nvarchar = (name: string): TdsColumn => ({
  name,
  type: Buffer.from([0xe7, 0x40, 0x1f, ...COLLATION]),
})
const intn = (name: string): TdsColumn => ({ name, type: Buffer.from([0x26, 8]) })

function text(value: string | null): Buffer {
  if (value === null) return Buffer.from([0xff, 0xff])
  const bytes = Buffer.from(value, 'utf16le')
  return Buffer.concat([Buffer.from([bytes.length & 255, bytes.length >> 8]), bytes])
}

function integer(value: bigint): Buffer {
  const cell = Buffer.alloc(9)
  cell[0] = 8
  cell.writeBigInt64LE(value, 1)
  return cell
}

/** Starts the stand-in with answers of a test, beside those that every session asks for. */
async function start(answer: (sql: string) => TdsAnswer): Promise<DatabaseTarget> {
  server = await startTdsServer('the-password', (sql) => {
    if (/@@VERSION/.test(sql)) {
      return { columns: [nvarchar('')], rows: [[text('Microsoft SQL Server 2022 (RTM)')]] }
    }
    return /^\s*set /i.test(sql) ? NONE : answer(sql)
  })
  return {
    kind: 'SQLSERVER',
    host: '127.0.0.1',
    port: server.port,
    database: 'weir',
    user: 'weir',
    password: 'the-password',
    tls: 'off',
  }
}

function* numbers(count: number, characters = 40): Generator<readonly Buffer[]> {
  const cell = text('x'.repeat(characters))
  for (let n = 1; n <= count; n += 1) yield [integer(BigInt(n)), cell]
}

test('SQL Server: a session signs in, reads and rolls back', async () => {
  const target = await start(() => ({ columns: [intn('n'), nvarchar('t')], rows: numbers(3) }))
  const session = await openLocal(target)
  assert.equal(session.server, 'Microsoft SQL Server 2022')
  const batches = await Array.fromAsync(session.read('SELECT n, t FROM numbers'))
  assert.deepEqual(
    batches.flatMap(({ rows }) => rows.map(([n]) => n)),
    ['1', '2', '3'],
  )
  await session.close()
  assert.deepEqual(server.heard.slice(-3), ['begin', 'SELECT n, t FROM numbers', 'rollback'])
})

test('SQL Server: many rows come in order, at most as many as asked for', async () => {
  const target = await start(() => ({ columns: [intn('n'), nvarchar('t')], rows: numbers(5_000) }))
  const all = await readAll(target, 'SELECT')
  assert.equal(all.rows.length, 5_000)
  assert.equal(all.rows.at(-1)?.[0], '5000')
  const some = await readAll(target, 'SELECT', 1_000)
  assert.equal(some.rows.length, 1_000)
})

test('SQL Server: rows that nobody takes stay at the server', async () => {
  let count = 0
  const counting = function* () {
    for (const row of numbers(500_000, 1_000)) {
      count += 1
      yield row
    }
  }
  const target = await start(() => ({ columns: [intn('n'), nvarchar('t')], rows: counting() }))
  const session = await openLocal(target)
  let taken = 0
  for await (const { rows } of session.read('SELECT', 10_000)) {
    taken += rows.length
    // As many rows of 2 kB as fit into the sockets and the driver.
    assert.ok(count - taken < 15_000, `${count} rows sent, ${taken} taken`)
  }
  assert.equal(taken, 10_000)
  await session.close()
})

test('SQL Server: values come as texts without loss', async () => {
  const decimal = Buffer.from([17, 1, ...littleEndian(12345678901234567890123456789012345678n, 16)])
  const cells: readonly (readonly [
    type: readonly number[],
    cell: Buffer,
    expected: string | null,
  ])[] = [
    [[0x26, 8], integer(9223372036854775807n), '9223372036854775807'],
    [[0x26, 8], Buffer.from([0]), null],
    [[0x6a, 17, 38, 10], decimal, '1234567890123456789012345678.9012345678'],
    [[0x6c, 5, 9, 2], Buffer.from([5, 0, 0x39, 0x30, 0, 0]), '-123.45'],
    [[0x6a, 17, 38, 10], Buffer.from([0]), null],
    [[0x6e, 8], moneyCell(922337203685477580700n / 100n), '922337203685477.5807'],
    [[0x6e, 8], Buffer.from([4, 0xff, 0xff, 0xff, 0xff]), '-0.0001'],
    [[0x6e, 8], Buffer.from([0]), null],
    [[0x68, 1], Buffer.from([1, 1]), 'true'],
    [[0x6d, 8], doubleCell(0.1 + 0.2), '0.30000000000000004'],
    [[0x6d, 8], singleCell(0.1), '0.1'],
    [[0xe7, 0x40, 0x1f, ...COLLATION], text('a"b\n,ü😀'), 'a"b\n,ü😀'],
    [[0xe7, 0x40, 0x1f, ...COLLATION], text(null), null],
    [[0xa5, 9, 0], Buffer.from([3, 0, 0, 0xff, 0x10]), 'AP8Q'],
    [[0x28], Buffer.from([3, ...littleEndian(739_679n, 3)]), '2026-03-05'],
    [[0x2a, 7], dateTime2Cell(), '2026-03-05T06:07:08.1234567'],
    [
      [0x2b, 7],
      Buffer.concat([Buffer.from([10]), dateTime2Cell().subarray(1), Buffer.from([120, 0])]),
      '2026-03-05T06:07:08.1234567Z',
    ],
  ]
  const columns = cells.map(([type], at) => ({ name: `c${at}`, type: Buffer.from(type) }))
  const target = await start(() => ({ columns, rows: [cells.map(([, cell]) => cell)] }))
  const { rows } = await readAll(target, 'SELECT')
  assert.deepEqual(
    rows[0],
    cells.map(([, , expected]) => expected),
  )
})

test('SQL Server: errors have their line, and wrong passwords are named', async () => {
  const target = await start(() => ({
    error: { number: 208, text: "Invalid object name 'nothing'.", line: 2 },
  }))
  const wrong = await failureOf(openLocal({ ...target, password: 'another' }))
  assert.equal(wrong.reason, 'sign_in', wrong.message)
  const failed = await failureOf(readAll(target, 'SELECT 1\n FROM nothing'))
  assert.equal(failed.reason, 'sql', failed.message)
  assert.match(failed.message, /Invalid object name/)
  assert.deepEqual(failed.place, { line: 2 })
})

test('SQL Server: a statement without a result is an error, and a canceled one ends', async () => {
  const target = await start((sql) => (sql === 'DECLARE @n INT' ? NONE : 'silence'))
  assert.equal((await failureOf(readAll(target, 'DECLARE @n INT'))).reason, 'sql')
  const calling = new AbortController()
  const session = await openLocal(target, { signal: calling.signal })
  const waiting = "SELECT 1 WAITFOR DELAY '10:00'"
  const reading = failureOf(session.read(waiting).next())
  await eventually(() => assert.ok(server.heard.includes(waiting)))
  calling.abort()
  assert.equal((await reading).reason, 'cancelled')
  await eventually(() => assert.ok(server.heard.includes('attention')))
})

test('SQL Server: what could end the transaction is not sent', async () => {
  const target = await start(() => ({ columns: [intn('n')], rows: [[integer(1n)]] }))
  for (const sql of ['SELECT 1 COMMIT INSERT INTO t VALUES (1)', 'EXEC p', 'sp_who']) {
    const { reason, message } = await failureOf(readAll(target, sql))
    assert.equal(reason, 'sql', message)
    assert.match(message, /^External SQL only reads: /)
    assert.ok(!server.heard.includes(sql), sql)
  }
})

test('SQL Server: encryption that the server does not have is an error', async () => {
  const target = await start(() => NONE)
  const { reason, message } = await failureOf(openLocal({ ...target, tls: 'on' }))
  assert.equal(reason, 'tls', message)
})

function littleEndian(value: bigint, length: number): number[] {
  return Array.from({ length }, (_, at) => Number((value >> BigInt(8 * at)) & 255n))
}

function moneyCell(units: bigint): Buffer {
  const cell = Buffer.alloc(9)
  cell[0] = 8
  cell.writeInt32LE(Number(units >> 32n), 1)
  cell.writeUInt32LE(Number(units & 0xffffffffn), 5)
  return cell
}

function doubleCell(value: number): Buffer {
  const cell = Buffer.alloc(9)
  cell[0] = 8
  cell.writeDoubleLE(value, 1)
  return cell
}

function singleCell(value: number): Buffer {
  const cell = Buffer.alloc(5)
  cell[0] = 4
  cell.writeFloatLE(value, 1)
  return cell
}

/** 06:07:08.1234567 of 5 March 2026. */
function dateTime2Cell(): Buffer {
  const units = BigInt((6 * 60 + 7) * 60 + 8) * 10_000_000n + 1_234_567n
  return Buffer.from([8, ...littleEndian(units, 5), ...littleEndian(739_679n, 3)])
}
