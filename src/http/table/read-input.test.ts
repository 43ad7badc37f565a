import assert from 'node:assert/strict'
import { test } from 'node:test'
import { IncomingBody } from './read-input.ts'

test('own() copies a lent body, so that its connection may overwrite it', () => {
  const lent = Buffer.from('what was sent')
  const body = new IncomingBody(lent)
  body.own()
  lent.fill('x')
  assert.equal(String(body.current), 'what was sent')
})

test('own() copies nothing of a body that was read', () => {
  const lent = Buffer.from('what was sent')
  const body = new IncomingBody(lent)
  body.release()
  body.own()
  assert.equal(String(body.current), '')
})

test('release() keeps a body that was copied', () => {
  const body = new IncomingBody(Buffer.from('what was sent'))
  body.own()
  body.release()
  assert.equal(String(body.current), 'what was sent')
})
