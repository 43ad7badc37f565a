/** Where people wait, the page follows what happens: nobody clicks, and nobody reloads. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { browserSkip } from '../../support/browser.ts'
import { callSink } from '../../support/connector-home.ts'
import { FeedClient } from '../../support/feed-client.ts'
import { ownerOfFile } from '../../support/service-of-file.ts'
import { settlesTo, shows } from '../../support/settle.ts'
import { complaintsOtherThan, shootAll } from '../../support/studio.ts'
import { studioOfFile } from '../../support/studio-of-file.ts'

const skip = browserSkip()
const START = Date.UTC(2026, 0, 10)
const studio = studioOfFile()
const owner = ownerOfFile(studio.service)

before(async () => {
  if (skip !== false) return
  const { service } = studio
  const rows = [1, 2, 3].map((data, at) => {
    return { compId: 'meter', streamId: 'use', time: START + at * 60_000, data }
  })
  const put = await new FeedClient(service).putJson(rows)
  assert.equal(put.status, 200, put.text)
})

async function make(path: string, noun: string, record: object) {
  const made = await owner('PUT', path, { [noun]: record })
  assert.equal(made.status, 200, made.text)
  return made.body[noun]
}

test('payloads appear as they arrive, stored or failed', { skip }, async () => {
  const { userUid: uid } = (await owner('GET', '/api/login')).body
  const orgUid = (await owner('GET', '/api/organization')).body.organization[0].uid
  const sql = `INSERT OR REPLACE INTO SAMPLE(CID, ID, SAMPLE)
SELECT 'kiln', 'temp', t FROM JSON_TABLE(@HTTP_BODY) WITH (t Double '$.t')`
  const procs = [{ timeZoneId: 'UTC', sql }]
  const sink = { id: 'kiln', runningUser: { uid }, procs }
  const connector = await make('/api/connector', 'connector', sink)
  const { page, complaints } = await studio.open(`/connect/${connector.uid}`)
  await page.getByText('No payloads yet.').waitFor()
  const send = (body: string) =>
    callSink(studio.service, { orgUid, id: 'kiln' }, { body, key: studio.service.feedKey })
  assert.equal((await send('{"t": 812.5}')).status, 200)
  const received = page.getByRole('region', { name: 'Received payloads' })
  await received.getByText('1 sample stored').waitFor()
  assert.equal((await send('812.5;')).status, 422)
  await received.getByText(/^Failed: /).waitFor()
  await received.getByText('1 sample stored').waitFor()
  await shootAll(page, 'waiting-payloads')
  assert.deepEqual(complaintsOtherThan(complaints, 422), [])
})

test('jobs that others start show their progress and their end', { skip }, async () => {
  const [component] = (await owner('GET', '/api/component?search=meter')).body.component
  const at = `/api/component/${component.uid}/stream`
  const use = (await owner('GET', at)).body.stream[0].uid
  const derivation = {
    expression: 'use * 2',
    variables: [{ name: 'use', componentUid: component.uid, streamUid: use }],
  }
  const twice = await make(at, 'stream', { id: 'twice', valueType: 'DOUBLE', derivation })
  const editor = await studio.open(`/build/component/${component.uid}/stream/${twice.uid}`)
  const history = editor.page.getByRole('region', { name: 'Recalculate history' })
  await history.getByRole('button', { name: 'Recalculate' }).waitFor()
  await shows(history.getByText(/started/), 0)
  const begun = await owner('POST', `${at}/${twice.uid}/derive`, {})
  assert.equal(begun.status, 202, begun.text)
  await history.getByText(/^Done · started/).waitFor()
  await shootAll(editor.page, 'waiting-job')

  const chart = await studio.open(`/c/${component.uid}/${use}`)
  await chart.page.getByRole('button', { name: 'Correct …' }).waitFor()
  const correction = { action: 'offset', value: 0.5, from: START, until: START + 600_000 }
  const corrected = await owner('POST', `${at}/${use}/correction`, { correction })
  assert.equal(corrected.status, 202, corrected.text)
  const list = chart.page.getByRole('region', { name: 'Corrections' })
  await list.getByText('Add 0.5, 3 samples').waitFor()
  await settlesTo(() => list.getByRole('button', { name: 'Undo' }).isEnabled(), true)
  assert.deepEqual([...editor.complaints, ...chart.complaints], [])
})
