import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileUrl, readFileRecord, writeFileRecord } from './file-record.ts'

test('writeFileRecord() writes the agreed keys, and readFileRecord() reads them back', () => {
  const record = { sha256: 'ff', bytes: 3, type: 'text/plain', name: 'a "b".txt', key: 'k' }
  const text = '{"key":"k","name":"a \\"b\\".txt","type":"text/plain","bytes":3,"sha256":"ff"}'
  assert.equal(writeFileRecord(record), text)
  assert.deepEqual(readFileRecord(text), record)
})

test('fileUrl() encodes IDs and names, so that the URL leads back to the file', () => {
  assert.equal(
    fileUrl({ compId: 'a/b c', streamId: 'ä,[0]', time: -5, name: '50% ?.txt' }),
    '/api/comp/a%2Fb%20c/stream/%C3%A4%2C%5B0%5D/feed/file/-5/50%25%20%3F.txt',
  )
})
