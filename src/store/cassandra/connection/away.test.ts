import assert from 'node:assert/strict'
import { test } from 'node:test'
import cassandra from 'cassandra-driver'
import { isAway, isUnsent } from './away.ts'

test('isAway() knows every way in which the driver says that nobody is there', () => {
  const { errors, types } = cassandra
  const reset = Object.assign(new Error('read ECONNRESET'), { isSocketError: true })
  for (const error of [
    new errors.NoHostAvailableError({}),
    new errors.OperationTimedOutError('too late'),
    new errors.ResponseError(types.responseErrorCodes.unavailableException, 'too few'),
    new errors.ResponseError(
      types.responseErrorCodes.unauthorized,
      'Unable to perform authorization of permissions: Cannot achieve consistency level LOCAL_QUORUM',
    ),
    new Error('No connection available'),
    new Error('Connection closed'),
    reset,
  ]) {
    assert.equal(isAway(error), true, error.message)
  }
  const mistake = new errors.ResponseError(types.responseErrorCodes.syntaxError, 'no CQL')
  const forbidden = new errors.ResponseError(
    types.responseErrorCodes.unauthorized,
    'User weir has no MODIFY permission on <table weir.sample>',
  )
  for (const error of [mistake, forbidden, new Error('a mistake of ours'), undefined]) {
    assert.equal(isAway(error), false)
  }
})

test('isUnsent() is true only where nothing was sent', () => {
  assert.equal(isUnsent(new Error('No connection available')), true)
  assert.equal(isUnsent(new Error('Connection closed')), false)
})
