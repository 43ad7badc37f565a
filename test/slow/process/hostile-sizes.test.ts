// Alone: it measures the memory of its process.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import {
  DATABASE_KINDS,
  type DatabaseKind,
  type DatabaseTarget,
} from '../../../src/connectors/database/database-port.ts'
import { caller, signIn } from '../../support/caller.ts'
import { startChildService } from '../../support/child-service.ts'
import { failureOf, openLocal, readAll } from '../../support/database-sessions.ts'
import {
  floodEncrypted,
  floodMysqlRow,
  floodPostgresqlRow,
  floodSignIn,
  postgresqlMessage,
  startRawServer,
} from '../../support/flooding-servers.ts'
import { startTdsServer } from '../../support/tds-server.ts'

/** Both are more than the limit; the second is more than a string of V8 may have. */
const SIZES = [40_000_000, 1_500_000_000] as const
/** A thread with its driver, and several times the longest answer. */
const GROWTH_BYTES_MAX = 300_000_000

/** Types of columns of SQL Server: a number, and a text of any length. */
const TINY = Buffer.from([0x26, 1])
const NVARCHAR_MAX = Buffer.from([0xe7, 0xff, 0xff, 0x09, 0x04, 0xd0, 0x00, 0x34])

function targetOf(kind: DatabaseKind, port: number, tls: DatabaseTarget['tls'] = 'off') {
  return { kind, host: '127.0.0.1', port, database: 'd', user: 'u', password: 'secret-word', tls }
}

/** Runs `work` for both sizes, and checks that memory does not grow with the second. */
async function checkSizes(work: (bytes: number) => Promise<void>): Promise<void> {
  const [some, most] = SIZES
  await work(some)
  const before = process.memoryUsage.rss()
  let peak = 0
  const timer = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss())
  }, 10)
  await work(most).finally(() => clearInterval(timer))
  assert.ok(peak - before < GROWTH_BYTES_MAX, `${most} bytes sent: ${peak - before} more held`)
}

for (const kind of DATABASE_KINDS) {
  test(`${kind}: a server that sends a long message before sign-in is left, whatever its length`, async () => {
    await checkSizes(async (bytes) => {
      const port = await startRawServer(floodSignIn(kind, bytes))
      const { reason, message } = await failureOf(openLocal(targetOf(kind, port)))
      // Some drivers find the message wrong by its first bytes.
      assert.ok(['too_large', 'lost'].includes(reason), `${reason}: ${message}`)
    })
  })
}

test('a long message inside TLS is counted, too', async () => {
  await checkSizes(async (bytes) => {
    const port = await startRawServer(floodEncrypted(bytes))
    const { reason, message } = await failureOf(openLocal(targetOf('POSTGRESQL', port, 'on')))
    assert.equal(reason, 'too_large', message)
    assert.match(message, /65536 bytes before sign-in/)
  })
})

test('PostgreSQL and MySQL: a row that is too long ends the session', async () => {
  for (const [kind, act] of [
    ['POSTGRESQL', floodPostgresqlRow],
    ['MYSQL', floodMysqlRow],
  ] as const) {
    await checkSizes(async (bytes) => {
      const port = await startRawServer(act(bytes))
      const { reason, message } = await failureOf(readAll(targetOf(kind, port), 'SELECT c'))
      assert.equal(reason, 'too_large', `${kind}: ${message}`)
      assert.match(message, /16777216 bytes/)
    })
  }
})

test('SQL Server: a value that is too long ends the session', async () => {
  const part = Buffer.alloc(65_536, 'x')
  const length = Buffer.from([0, 0, 1, 0])
  await checkSizes(async (bytes) => {
    const endless = function* () {
      yield Buffer.from([0xd1, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff])
      for (let sent = 0; sent < bytes; sent += part.length) yield Buffer.concat([length, part])
    }
    const server = await startTdsServer('secret-word', (sql) => {
      if (/@@VERSION/.test(sql)) {
        return { columns: [{ name: '', type: TINY }], rows: [[Buffer.from([1, 1])]] }
      }
      if (/^\s*set /i.test(sql)) return { columns: [], rows: [] }
      return { columns: [{ name: 'c', type: NVARCHAR_MAX }], raw: endless() }
    })
    try {
      const { reason, message } = await failureOf(
        readAll(targetOf('SQLSERVER', server.port), 'SELECT c'),
      )
      assert.equal(reason, 'too_large', message)
    } finally {
      server.close()
    }
  })
})

test('a service goes on and answers while a server floods it or makes its driver throw', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'weir-hostile-'))
  const account = { email: 'owner@weir.example', password: 'correct horse battery' }
  const service = await startChildService(folder, {
    WEIR_OWNER_EMAIL: account.email,
    WEIR_OWNER_PASSWORD: account.password,
    WEIR_OUTBOUND_ALLOW: '127.0.0.1',
    WEIR_RATE_LIMITS: 'off',
  })
  after(async () => {
    await service.kill()
    rmSync(folder, { recursive: true, force: true })
  })
  const owner = caller(service, await signIn(service, account.email, account.password))
  const tryConnection = async (kind: DatabaseKind, port: number) => {
    const connection = targetOf(kind, port)
    const made = await owner('PUT', '/api/connection', { connection })
    assert.equal(made.status, 200, made.text)
    const tried = owner('POST', `/api/connection/${made.body.connection.uid}/test`)
    const health = await fetch(`${service.url}/healthz`)
    assert.equal(health.status, 200)
    const { status, text, body } = await tried
    assert.equal(status, 200, text)
    assert.equal(body.test.isOk, false, text)
    return body.test as { reason: string; message: string }
  }
  for (const kind of DATABASE_KINDS) {
    const port = await startRawServer(floodSignIn(kind, SIZES[1]))
    const { reason, message } = await tryConnection(kind, port)
    assert.ok(['too_large', 'lost'].includes(reason), `${kind}: ${reason}: ${message}`)
  }
  // The driver throws at a kind of authentication that it does not know, where nothing catches it.
  const unknown = postgresqlMessage('R', Buffer.from([0, 0, 0, 99]))
  const throwing = await startRawServer((socket) =>
    socket.once('data', () => socket.write(unknown)),
  )
  const { reason, message } = await tryConnection('POSTGRESQL', throwing)
  assert.equal(reason, 'lost', message)
  assert.match(message, /violates its protocol/)
  assert.equal(await service.stop(), 0)
})
