import assert from 'node:assert/strict'
import { test } from 'node:test'
import { envelope, readPage } from './envelope.ts'

test('envelope() wraps one item, or a page with the count of all', () => {
  assert.deepEqual(envelope('unit', { uid: 'u' }), {
    message: '',
    unit: { uid: 'u' },
    totalCount: 1,
    success: true,
  })
  const page = envelope('unit', [{ uid: 'u' }], 7)
  assert.deepEqual(page, { message: '', unit: [{ uid: 'u' }], totalCount: 7, success: true })
})

test('readPage() has defaults, caps the limit and refuses what is no page', () => {
  assert.deepEqual(readPage({}), { start: 0, limit: 1_000 })
  assert.deepEqual(readPage({ start: '5', limit: '99999' }), { start: 5, limit: 1_000 })
  const huge = '9'.repeat(400)
  assert.deepEqual(readPage({ start: huge, limit: huge }), { start: 1_000_000_000, limit: 1_000 })
  for (const query of [{ start: '-1' }, { limit: '0' }, { limit: 'x' }, { start: ['1', '2'] }]) {
    assert.throws(() => readPage(query), /must be an integer/, JSON.stringify(query))
  }
})
