import assert from 'node:assert/strict'
import { test } from 'node:test'
import cassandra from 'cassandra-driver'
import { untilKnown } from './behind.ts'

const { errors, types } = cassandra
const { invalid, serverError, writeFailure } = types.responseErrorCodes

function responseError(code: number, message: string): Error {
  return new errors.ResponseError(code, message)
}

const UNKNOWN = responseError(invalid, 'table late does not exist')
const HALF_KNOWN = responseError(serverError, 'java.lang.IllegalArgumentException: Unknown CF 1-2')

/** A task that fails with each of these in turn, then returns the number of calls. */
function failing(...reasons: Error[]): () => Promise<number> {
  let asked = 0
  return async () => {
    const reason = reasons[asked++]
    if (reason !== undefined) throw reason
    return asked
  }
}

test('untilKnown() asks again while a table is not known, or known and not made yet', async () => {
  const task = failing(UNKNOWN, HALF_KNOWN, responseError(writeFailure, 'one replica'))
  assert.equal(await untilKnown(task, { isIdempotent: true }), 4)
  assert.equal(await untilKnown(failing(HALF_KNOWN), { isIdempotent: true }), 2)
})

test('untilKnown() repeats nothing that may have been made and must not be twice', async () => {
  await assert.rejects(untilKnown(failing(UNKNOWN, HALF_KNOWN), {}), HALF_KNOWN)
  await assert.rejects(untilKnown(failing(HALF_KNOWN), {}), HALF_KNOWN)
})

test('untilKnown() takes other faults of a node for what they are', async () => {
  const fault = responseError(serverError, 'java.lang.OutOfMemoryError')
  await assert.rejects(untilKnown(failing(UNKNOWN, fault), { isIdempotent: true }), fault)
})
