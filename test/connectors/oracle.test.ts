import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { test } from 'node:test'
import { openDatabase } from '../../src/connectors/database/open-database.ts'
import { loadOracleDriver } from '../../src/connectors/database/oracle/oracle-driver.ts'
import { fetchTypeOf, oracleText } from '../../src/connectors/database/oracle/oracle-values.ts'
import { OutboundRules } from '../../src/connectors/outbound/outbound-rules.ts'
import { failureOf, openLocal, TEST_LIMITS } from '../support/database-sessions.ts'

/** A packet of the protocol of sessions: its length, its type, its body. */
function packetOf(type: number, body: Buffer): Buffer {
  const head = Buffer.alloc(8)
  head.writeUInt16BE(body.length + 8, 0)
  head[4] = type
  return Buffer.concat([head, body])
}

/** A text with its length before it. */
function sized(before: readonly number[], text: string): Buffer {
  const length = Buffer.alloc(2)
  length.writeUInt16BE(text.length, 0)
  return Buffer.concat([Buffer.from(before), length, Buffer.from(text)])
}

async function startListener(
  host: string,
  answer: (socket: Socket) => void,
): Promise<{ port: number; count: () => number; close: () => void }> {
  let count = 0
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('data', () => {
      count += 1
      answer(socket)
    })
  })
  server.listen(0, host)
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    count: () => count,
    close: () => {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

const target = {
  ...({ kind: 'ORACLE', host: '127.0.0.1', database: 'FREEPDB1', tls: 'off' } as const),
  user: 'weir',
  password: 'the-password',
}

test('Oracle: a service that the listener does not know gives an error', async () => {
  const refusal = '(DESCRIPTION=(ERR=12514)(VSNNUM=0)(ERROR_STACK=(ERROR=(CODE=12514)(EMFI=4))))'
  const listener = await startListener('127.0.0.1', (socket) =>
    socket.end(packetOf(4, sized([0, 0], refusal))),
  )
  try {
    const { reason, message } = await failureOf(openLocal({ ...target, port: listener.port }))
    assert.equal(reason, 'sign_in', message)
    assert.match(message, /FREEPDB1/)
  } finally {
    listener.close()
  }
})

test('Oracle: a listener does not send the session on to where it may not go', async () => {
  const inner = await startListener('127.0.0.2', () => {})
  const address = `(ADDRESS=(PROTOCOL=TCP)(HOST=127.0.0.2)(PORT=${inner.port}))`
  const listener = await startListener('127.0.0.1', (socket) =>
    socket.write(packetOf(5, sized([], address))),
  )
  try {
    const { signal } = new AbortController()
    const limits = { ...TEST_LIMITS, connectMs: 20_000 }
    const deps = { rules: new OutboundRules({ allow: ['127.0.0.1'] }), limits, signal }
    const failure = await failureOf(openDatabase({ ...target, port: listener.port }, deps))
    assert.equal(failure.reason, 'not_allowed', failure.message)
    assert.equal(inner.count(), 0)
  } finally {
    listener.close()
    inner.close()
  }
})

test('Oracle: types are fetched so that nothing is lost, and returned as text', () => {
  const driver = loadOracleDriver(createRequire(import.meta.url)) as ReturnType<
    typeof loadOracleDriver
  > &
    Record<string, unknown>
  const fetched = (type: string) => fetchTypeOf(driver, { name: 'c', dbType: driver[type] })
  assert.deepEqual(fetched('DB_TYPE_NUMBER'), { type: driver.STRING })
  assert.deepEqual(fetched('DB_TYPE_CLOB'), { type: driver.STRING })
  assert.deepEqual(fetched('DB_TYPE_BLOB'), { type: driver.BUFFER })
  assert.equal(fetched('DB_TYPE_VARCHAR'), undefined)
  const check = (type: string, value: unknown, expected: string | null) =>
    assert.equal(oracleText(driver, value, { name: 'c', dbType: driver[type] }), expected)
  check('DB_TYPE_NUMBER', '12345678901234567890.5', '12345678901234567890.5')
  check('DB_TYPE_VARCHAR', null, null)
  check('DB_TYPE_VARCHAR', '', '')
  check('DB_TYPE_BINARY_FLOAT', Math.fround(0.1), '0.1')
  check('DB_TYPE_BINARY_DOUBLE', 0.1 + 0.2, '0.30000000000000004')
  check('DB_TYPE_RAW', Buffer.from([0, 255, 16]), 'AP8Q')
  check('DB_TYPE_TIMESTAMP_TZ', new Date('2026-03-05T06:07:08.120Z'), '2026-03-05T06:07:08.12Z')
  check('DB_TYPE_TIMESTAMP_LTZ', new Date('2026-03-05T06:07:00Z'), '2026-03-05T06:07:00Z')
  check('DB_TYPE_TIMESTAMP', new Date(2026, 2, 5, 6, 7, 8, 120), '2026-03-05T06:07:08.12')
  check('DB_TYPE_DATE', new Date(2026, 2, 5, 10, 0, 0), '2026-03-05T10:00:00')
  check('DB_TYPE_JSON', { a: 1 }, '{"a":1}')
})
