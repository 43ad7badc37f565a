/** Passwords are not sent in clear text over unencrypted connections. */
import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import type { DatabaseKind } from '../../src/connectors/database/database-port.ts'
import { failureOf, openLocal } from '../support/database-sessions.ts'
import { MYSQL_GREETING, postgresqlMessage, startRawServer } from '../support/flooding-servers.ts'

/** Answers what a client sends, message by message, and keeps it. */
async function startAnswering(
  first: Buffer | undefined,
  answers: readonly Buffer[],
): Promise<{ port: number; received: () => Buffer }> {
  const parts: Buffer[] = []
  const port = await startRawServer((socket) => {
    const left = [...answers]
    if (first !== undefined) socket.write(first)
    socket.on('data', (bytes: Buffer) => {
      parts.push(bytes)
      const answer = left.shift()
      if (answer === undefined) socket.end()
      else socket.write(answer)
    })
  })
  return { port, received: () => Buffer.concat(parts) }
}

async function signInFailure(kind: DatabaseKind, port: number) {
  const target = { kind, host: '127.0.0.1', port, database: 'd', user: 'u', tls: 'off' } as const
  return await failureOf(openLocal({ ...target, password: 'secret-word' }))
}

test('PostgreSQL: a server without TLS that asks for a clear-text password gets none', async () => {
  const cleartext = postgresqlMessage('R', Buffer.from([0, 0, 0, 3]))
  const { port, received } = await startAnswering(undefined, [cleartext])
  const { reason, message } = await signInFailure('POSTGRESQL', port)
  assert.equal(reason, 'tls', message)
  assert.match(message, /Set tls to "on" or "verify"/)
  assert.equal(received().includes('secret-word'), false)
})

test('PostgreSQL: MD5 is answered over an unencrypted connection', async () => {
  const md5 = postgresqlMessage('R', Buffer.from([0, 0, 0, 5, 1, 2, 3, 4]))
  const { port, received } = await startAnswering(undefined, [md5])
  await signInFailure('POSTGRESQL', port)
  assert.match(received().toString('latin1'), /md5[0-9a-f]{32}/)
  assert.equal(received().includes('secret-word'), false)
})

test('MySQL: mysql_clear_password is refused', async () => {
  const body = Buffer.from('\xfemysql_clear_password\0', 'latin1')
  const change = Buffer.concat([Buffer.from([body.length, 0, 0, 2]), body])
  const { port, received } = await startAnswering(MYSQL_GREETING, [change])
  const { reason, message } = await signInFailure('MYSQL', port)
  assert.equal(reason, 'sign_in', message)
  assert.match(message, /clear text \(mysql_clear_password\)/)
  assert.equal(received().includes('secret-word'), false)
})

test('MySQL: caching_sha2_password encrypts the password for the key of the server', async () => {
  const packet = (number: number, body: Buffer) =>
    Buffer.concat([Buffer.from([body.length & 255, body.length >> 8, 0, number]), body])
  const change = Buffer.from('\xfecaching_sha2_password\x0012345678901234567890\0', 'latin1')
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const pem = Buffer.from(publicKey.export({ type: 'spki', format: 'pem' }))
  const { port, received } = await startAnswering(MYSQL_GREETING, [
    packet(2, change),
    // Full authentication, then the key that the client asks for.
    packet(4, Buffer.from([1, 4])),
    packet(6, Buffer.concat([Buffer.from([1]), pem])),
  ])
  await signInFailure('MYSQL', port)
  assert.ok(received().length > 256, 'the encrypted password has 256 bytes')
  assert.equal(received().includes('secret-word'), false)
})
