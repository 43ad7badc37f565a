/** Long bodies: what their statements take of memory does not grow with each row that looks at them. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { openGql } from '../support/gql-home.ts'

const ITEMS = 1_000

function feedOf(count: number): string {
  const items = Array.from(
    { length: count },
    (_, at) =>
      `<item><title>Pier ${at} – über &amp; unter</title><guid>pier-${at % 50}</guid>` +
      `<pubDate>Tue, 05 Mar 2024 ${String(Math.floor(at / 60) % 24).padStart(2, '0')}:${String(at % 60).padStart(2, '0')}:00 +0000</pubDate>` +
      `<description>Wind ${at}.5 km/h from SW, 8.4 C</description></item>\n`,
  )
  return `<rss><channel><title>Piers</title>${items.join('')}</channel></rss>`
}

test('a thousand items of RSS become their samples in the memory that a run may take', async (t) => {
  const home = await openGql(t)
  const sql = readFileSync('test/fixtures/payloads/rss/connector.sql', 'utf8')
  const body = feedOf(ITEMS)
  assert.ok(body.length > 140_000)
  const { sampleCount } = await home.run(sql, { variables: { '@HTTP_BODY': body } })
  assert.equal(sampleCount, 4 * ITEMS)
  const winds = await home.readOf('pier-7', 'wind')
  assert.equal(winds.length, ITEMS / 50)
  assert.deepEqual(winds[0], [Date.UTC(2024, 2, 5, 0, 7), 7.5])
  assert.deepEqual((await home.readOf('pier-7', 'title'))[0][1], 'Pier 7 – über & unter')
})

test('rows that look at a long body give its memory back, sorted and grouped too', async (t) => {
  const home = await openGql(t)
  const rows: unknown[] = []
  const run = (values: string, end: string) =>
    home.run(
      `WITH RECURSIVE p(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM p WHERE i < 2000)
       SELECT ${values} FROM p ${end}`,
      {
        variables: { '@HTTP_BODY': `${'0123456789/'.repeat(15_000)}|end` },
        onRows: (some) => void rows.splice(0, rows.length, ...some[0]),
      },
    )
  await run('max(len(@HTTP_BODY) + i)', '')
  assert.deepEqual(rows, [167_004n])
  await run("max(indexOf(@HTTP_BODY, '|end') + i)", '')
  assert.deepEqual(rows, [167_001n])
  await run("max(parseCsv(@HTTP_BODY, i, '/'))", '')
  assert.deepEqual(rows, ['0123456789'])
  await run(
    "left(@HTTP_BODY, i % 5), textBetween(@HTTP_BODY, '9/|', 'd'), i",
    'ORDER BY i DESC LIMIT 1',
  )
  assert.deepEqual(rows, ['', 'en', 2_000n])
})
