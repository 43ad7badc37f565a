import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type Capability,
  capabilityOf,
  rightOf,
  sentenceOf,
} from '../../studio/src/pages/admin/capability-words.ts'

test('sentenceOf() has words for what keys may, and a right is saved as it was', () => {
  const check = (resource: string, sentence: string) => {
    const one: Capability = { resource, methods: ['GET', 'DELETE'] }
    assert.equal(sentenceOf([one]), sentence)
    assert.deepEqual(capabilityOf(rightOf(one)), one)
  }
  check('component', 'May see and delete all components.')
  check('component/*', 'May see and delete components and streams of every component.')
  check('component/*/feed', 'May read and delete samples of every component.')
  check('conn_sink', 'May call the addresses of connectors by GET and DELETE.')
  check('connector', 'May see and delete connectors.')
  check('query', 'May see and delete queries.')
  check('connection', 'May see and delete connections.')
  check('job', 'May see and delete jobs.')
  check('*', 'May see and delete everything.')
  check('component/1/stream/2/feed', 'May see and delete component/1/stream/2/feed.')
})
