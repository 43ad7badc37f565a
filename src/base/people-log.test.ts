import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stripVTControlCharacters } from 'node:util'
import { createLog } from './log.ts'
import { peopleLog } from './people-log.ts'

function linesOf(write: (log: ReturnType<typeof createLog>) => void): string {
  let text = ''
  const destination = peopleLog((line) => {
    text += line
  })
  write(createLog({ level: 'debug', destination }))
  return stripVTControlCharacters(text)
}

test('peopleLog() shows time, level, what happened and with what on one line', () => {
  const text = linesOf((log) =>
    log.info({ address: 'http://h:1', count: 3, nothing: '' }, 'listening'),
  )
  assert.match(text, /^\d\d:\d\d:\d\d info {2}listening address=http:\/\/h:1 count=3\n$/)
})

test('peopleLog() shows the stack of an error below, and no control character of a caller', () => {
  const text = linesOf((log) =>
    log.error({ error: new Error('broken'), url: '/a\u001b[2J\n\u009b' }, 'failed'),
  )
  assert.match(
    text,
    /^\S+ error failed url=\/a\\u001b\[2J\\u000a\\u009b\n {2}Error: broken\n {6}at /,
  )
  assert.ok(!text.includes('\u001b') && !text.includes('\u009b'))
})

test('peopleLog() shows no secret that the JSON lines would not', () => {
  const text = linesOf((log) => log.info({ url: '/api/feed?api_key=12345678-aaaa' }, 'request'))
  assert.ok(!text.includes('12345678'), text)
})
