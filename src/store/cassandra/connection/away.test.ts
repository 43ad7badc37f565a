import assert from 'node:assert/strict'
import { test } from 'node:test'
import cassandra from 'cassandra-driver'
import { Refusal } from '../../../base/index.ts'
import { StoreUnusable } from '../../ports/store-unusable.ts'
import { isAway, isUndone, messageOf, startErrorOf } from './away.ts'
import type { ClusterSettings } from './cluster-settings.ts'

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
    new errors.AuthenticationError(
      'Unable to perform authentication: Cannot achieve consistency level LOCAL_QUORUM',
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
  const stranger = new errors.AuthenticationError(
    'Provided username weir and/or password are incorrect',
  )
  for (const error of [mistake, forbidden, stranger, new Error('a mistake of ours'), undefined]) {
    assert.equal(isAway(error), false)
  }
})

test('messageOf() and startErrorOf() describe a missing right, for each time', () => {
  const { errors, types } = cassandra
  const refused = (what: string) =>
    new errors.ResponseError(types.responseErrorCodes.unauthorized, `User weir has no ${what}`)
  const settings = { keyspace: 'metrics', user: 'weir' } as ClusterSettings
  const check = (what: string, expected: RegExp) => {
    const message = messageOf(refused(what))
    assert.ok(message instanceof Refusal && message.code === 'store_away')
    const atStart = startErrorOf(message, settings)
    assert.ok(atStart instanceof StoreUnusable && atStart.why === 'settings')
    assert.match(atStart.message, expected)
  }
  check(
    'MODIFY permission on <table a.b>',
    /GRANT CREATE, SELECT, MODIFY ON KEYSPACE metrics TO weir$/,
  )
  check('CREATE permission on <all keyspaces>', /create the keyspace metrics as an administrator/)
  const away = new errors.NoHostAvailableError({})
  assert.equal(startErrorOf(away, settings), away)
})

test('isUndone() is true only where the node did nothing', () => {
  assert.equal(isUndone(new Error('No connection available')), true)
  assert.equal(isUndone(new Error('Connection closed')), false)
})
