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
  check('component', 'Can see and delete all components.')
  check('component/*', 'Can see and delete components and streams of every component.')
  check('component/*/feed', 'Can read and delete samples of every component.')
  check('conn_sink', 'Can call webhook URLs of connectors by GET and DELETE.')
  check('connector', 'Can see and delete connectors.')
  check('query', 'Can see and delete queries.')
  check('connection', 'Can see and delete connections.')
  check('job', 'Can see and delete jobs.')
  check('*', 'Can see and delete everything.')
  check('component/1/stream/2/feed', 'Can see and delete component/1/stream/2/feed.')
})
