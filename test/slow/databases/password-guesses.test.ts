/** Nobody can find out a stored password by comparing messages for right and wrong guesses. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { DatabaseTarget } from '../../../src/connectors/database/database-port.ts'
import { failureOf, openLocal, readAll } from '../../support/database-sessions.ts'
import { postgresqlMessage, startRawServer } from '../../support/flooding-servers.ts'
import { postgresqlSkip } from '../../support/postgresql-server.ts'
import { type SharedServer, sharedPostgresql } from '../../support/shared-databases.ts'

const HIDDEN = 'The server refused the sign-in. Its message contains the password and is not shown'

/** How signing in fails at a server that answers with an error; `C` is its code. */
async function signInFailure(
  error: { readonly code: string; readonly text: string },
  more: Partial<DatabaseTarget> = {},
): Promise<string> {
  const fields = Buffer.from(`SFATAL\0C${error.code}\0M${error.text}\0\0`)
  const port = await startRawServer((socket) =>
    socket.once('data', () => socket.write(postgresqlMessage('E', fields))),
  )
  const failure = await failureOf(
    openLocal({
      kind: 'POSTGRESQL',
      host: '127.0.0.1',
      port,
      database: 'd',
      user: 'u',
      tls: 'off',
      password: 'secret-word',
      ...more,
    }),
  )
  assert.equal(failure.reason, 'sign_in', failure.message)
  return failure.message
}

test('a sign-in message that contains the password is replaced by a fixed sentence', async () => {
  const hidden = await signInFailure({ code: '28000', text: 'no entry for secret-word here' })
  assert.equal(hidden, HIDDEN)
  const shown = await signInFailure({ code: '28000', text: 'no entry for this host' })
  assert.equal(shown, 'no entry for this host')
})

test('a message is shown when the password is part of a name that the connection shows', async () => {
  const text = 'database "plant" does not exist'
  const message = await signInFailure(
    { code: '3D000', text },
    { database: 'plant', password: 'plant' },
  )
  assert.equal(message, text)
})

test('a wrong password is reported in words that do not depend on the password', async () => {
  const text = 'password authentication failed for user "u"'
  for (const password of ['password', 'secret-word', 'u']) {
    const message = await signInFailure({ code: '28P01', text }, { password })
    assert.equal(message, 'The server rejected the user name or password')
  }
})

describe('guesses in SQL', { skip: postgresqlSkip() }, () => {
  let server: SharedServer
  before(async () => {
    server = await sharedPostgresql()
  })

  test('right and wrong guesses in External SQL get the same message', async () => {
    const target: DatabaseTarget = {
      kind: 'POSTGRESQL',
      host: '127.0.0.1',
      port: server.port,
      database: 'weir',
      user: 'weir',
      password: 'the-password',
      tls: 'off',
    }
    const check = async (expression: string, text: string) => {
      const { message } = await failureOf(readAll(target, `SELECT CAST(${expression} AS int)`))
      assert.equal(message, `invalid input syntax for type integer: "${text}"`)
    }
    for (const guess of ['the-password', 'a-password-']) {
      await check(`'${guess}'`, guess)
      await check(`'${guess.slice(0, 5)}' || '${guess.slice(5)}'`, guess)
      await check(`lower('${guess.toUpperCase()}')`, guess)
    }
  })
})
