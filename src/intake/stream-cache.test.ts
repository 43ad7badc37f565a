import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StreamHandle } from '../store/index.ts'
import { SampleTemplates } from './json/sample-templates.ts'
import { noTemplate } from './json/template-spans.ts'
import { StreamCache } from './stream-cache.ts'

const noStreams = { generation: 0, resolve: () => 0 as const, keepsDigits: () => true }

test('StreamCache follows the catalog when an ID comes to mean another stream', () => {
  let handle = 5
  const resolver = { ...noStreams, generation: 0, resolve: () => handle as StreamHandle }
  const cache = new StreamCache(resolver)
  const bytes = Buffer.from('ab')
  const spans = { compFrom: 0, compUntil: 1, streamFrom: 1, streamUntil: 2 }
  const find = () => {
    cache.begin('o')
    return cache.find(bytes, spans)
  }
  assert.equal(find(), 5)
  handle = 6
  assert.equal(find(), 5)
  resolver.generation = 1
  assert.equal(find(), 6)
})

test('StreamCache keeps organizations and ID borders apart, and any number of streams', () => {
  const cache = new StreamCache({
    ...noStreams,
    resolve: (org, compId, streamId) => {
      const number = Number(`${org.length}${compId.length}${streamId.length}`)
      return number as StreamHandle
    },
  })
  for (let round = 0; round < 2; round++) {
    for (let index = 0; index < 20_000; index++) {
      const text = `c${index}s${index}`
      const bytes = Buffer.from(text)
      const border = 1 + (index % (text.length - 1))
      const spans = { compFrom: 0, compUntil: border, streamFrom: border, streamUntil: text.length }
      for (const org of ['a', 'bb']) {
        const expected = Number(`${org.length}${border}${text.length - border}`)
        cache.begin(org)
        assert.equal(cache.find(bytes, spans), expected)
      }
    }
  }
})

test('StreamCache forgets templates when an ID may mean another stream', () => {
  const templates = new SampleTemplates(200)
  const view = new DataView(new Uint8Array(400).fill(7).buffer)
  templates.learn(0, 5 as StreamHandle, { ...noTemplate(view), openingUntil: 400 })
  assert.ok(!templates.hasRoom())
  const resolver = { ...noStreams }
  const cache = new StreamCache(resolver, templates)
  resolver.generation = 1
  cache.begin('o')
  assert.ok(templates.hasRoom())
})
