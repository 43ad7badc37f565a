/** docs/gs-sql.md: the examples of stored data give what stands below them. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { ManualClock } from '../../../src/base/index.ts'
import { STORED_TABLES } from '../../../src/gql/stored/stored-tables.ts'
import { caller, signIn } from '../../support/caller.ts'
import { docExamples, STORED_CHAPTER, shownRow } from '../../support/doc-examples.ts'
import { startService } from '../../support/service.ts'

const page = readFileSync('docs/gs-sql.md', 'utf8')
const { stored } = docExamples(page)

/** When the page says that its examples are asked. */
const ASKED_AT = Date.UTC(2024, 2, 8, 12)

test('every example of stored data gives the rows that stand below it', async (t) => {
  const service = await startService({ clock: new ManualClock(ASKED_AT) })
  t.after(() => service.close())
  const owner = caller(service, await signIn(service, service.ownerEmail, service.ownerPassword))
  assert.ok(page.includes('asked on 2024-03-08 at 12:00 UTC'))
  for (const { sql, rows } of stored) {
    const { status, text, body } = await owner('POST', '/api/gql', { sql, tz: 'UTC' })
    assert.equal(status, 200, `${sql}\n${text}`)
    const shown = /\bINSERT\b/.test(sql)
      ? [`${body.sampleCount} samples`]
      : (body.rows as unknown[][]).map(shownRow)
    assert.equal(shown.join('\n'), rows, sql)
  }
})

test('the examples of stored data use every table and setting, and the page names every column', () => {
  const texts = stored.map(({ sql }) => sql).join('\n')
  for (const table of ['STREAM', 'SAMPLE', 'COMPONENT']) {
    assert.match(texts, new RegExp(`(?:FROM|JOIN) ${table}\\b`), table)
  }
  for (const setting of ['cycleId', 'stat', 'sd', 'ed', 'last', 'currentCycle']) {
    assert.match(texts, new RegExp(`\\b${setting} = `), setting)
  }
  const chapter = page.slice(page.indexOf(STORED_CHAPTER))
  for (const [table, columns] of Object.entries(STORED_TABLES)) {
    const row = chapter.split('\n').find((line) => line.startsWith(`| \`${table}\` |`)) ?? ''
    for (const { name } of columns) assert.ok(row.includes(`\`${name}\``), `${table}.${name}`)
  }
})
