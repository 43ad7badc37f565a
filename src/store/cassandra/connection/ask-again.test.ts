import assert from 'node:assert/strict'
import { test } from 'node:test'
import cassandra from 'cassandra-driver'
import { askAgain } from './ask-again.ts'

const { errors, types } = cassandra
const { unauthorized, unavailableException, writeTimeout } = types.responseErrorCodes
const LATE = new errors.ResponseError(writeTimeout, 'one replica of two')
const UNSENT = new Error('No connection available')
const CUT_OFF = new errors.ResponseError(
  unauthorized,
  'Unable to perform authorization: Cannot achieve consistency level LOCAL_QUORUM',
)

/** A task that fails this often, then returns the number of calls. */
function failing(reason: Error, times: number): () => Promise<number> {
  let asked = 0
  return async () => {
    asked += 1
    if (asked <= times) throw reason
    return asked
  }
}

test('askAgain() repeats what nodes were late with, unless it may have been made and must not be twice', async () => {
  assert.equal(await askAgain(failing(LATE, 2), { isIdempotent: true }), 3)
  await assert.rejects(askAgain(failing(LATE, 1), { isIdempotent: false }), LATE)
})

test('askAgain() ends with the time of its call', async () => {
  let now = 0
  const elapsed = () => (now += 3_000)
  const late = failing(LATE, Number.POSITIVE_INFINITY)
  await assert.rejects(askAgain(late, { isIdempotent: true, elapsed }), LATE)
})

test('askAgain() asks some nodes where nothing was done, and none when too few are there', async () => {
  for (const undone of [UNSENT, CUT_OFF]) {
    assert.equal(await askAgain(failing(undone, 5), { isIdempotent: false }), 6)
    await assert.rejects(askAgain(failing(undone, 6), { isIdempotent: true }), undone)
  }
  const away = new errors.ResponseError(unavailableException, 'too few')
  await assert.rejects(askAgain(failing(away, 1), { isIdempotent: true }), away)
})
