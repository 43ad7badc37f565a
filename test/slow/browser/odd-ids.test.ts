/** Components and streams whose IDs cannot stand in an address: the studio names them by UIDs. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { browserSkip } from '../../support/browser.ts'
import { ownerOfFile } from '../../support/service-of-file.ts'
import { shows } from '../../support/settle.ts'
import { assertAccessible, shoot } from '../../support/studio.ts'
import { studioOfFile } from '../../support/studio-of-file.ts'

const skip = browserSkip()
const T0 = Date.parse('2026-03-01T00:00:00Z')
const IDS = [
  ['.', '..'],
  ['..', '.'],
  ['a/b', 'c?d#e'],
  ['%', '%2e'],
  ['', ''],
] as const
const studio = studioOfFile()
const owner = ownerOfFile(studio.service)

/** A component with one stream and three samples. */
async function seed(id: string, streamId: string) {
  const stream = [{ id: streamId, name: '', valueType: 'DOUBLE' }]
  const made = await owner('PUT', '/api/component', { component: { id, stream } })
  assert.equal(made.status, 200, made.text)
  const { uid: componentUid, stream: streams } = made.body.component
  const streamUid = streams[0].uid
  const time = [T0, T0 + 60_000, T0 + 120_000]
  const component = [{ componentUid, stream: [{ streamUid, time, data: [1, 2, 3] }] }]
  const put = await owner('PUT', '/api/feed', { feed: { component } })
  assert.equal(put.status, 200, put.text)
  return { componentUid, streamUid }
}

test('samples of any ID are shown, charted, downloaded, added, changed and deleted', {
  skip,
}, async () => {
  for (const [id, streamId] of IDS) {
    const { componentUid, streamUid } = await seed(id, streamId)
    const { page, complaints } = await studio.open(`/c/${componentUid}/${streamUid}`)
    const samples = page.getByRole('region', { name: 'Samples', exact: true })
    const cell = (name: string) => samples.getByRole('cell', { name, exact: true })
    await cell('3').waitFor()
    await page.getByRole('row', { name: /^\S.* 3 1 3 2$/ }).waitFor()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'CSV' }).click(),
    ])
    const lines = readFileSync(await download.path(), 'utf8')
      .trim()
      .split('\r\n')
    assert.equal(lines.length, 4, `${id} / ${streamId}`)
    await samples.getByRole('button', { name: /^Edit/ }).first().click()
    await page.getByLabel('Value').fill('4.5')
    await page.getByRole('button', { name: 'Save' }).click()
    await cell('4.5').waitFor()
    await samples
      .getByRole('button', { name: /^Delete/ })
      .first()
      .click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await cell('4.5').waitFor({ state: 'detached' })
    await shows(samples.getByRole('button', { name: /^Edit/ }), 2)
    await page.getByLabel('Cycle').selectOption('minute')
    await page.getByRole('columnheader', { name: 'Average' }).waitFor()
    await assertAccessible(page)
    assert.deepEqual(complaints, [])
    await page.close()
  }
})

test('addresses of dots lead to their component and stream', { skip }, async () => {
  // A name is written with a tilde, as a browser would take the dots for a way.
  const { page } = await studio.open('/c/~./~..')
  await page.getByRole('heading', { name: '. / ..' }).waitFor()
  await page.getByRole('heading').getByRole('link', { name: '.', exact: true }).click()
  // Behind the name stands its value; the tree beside it has a component of the bare name.
  await page.getByRole('link', { name: /^\.\.\s*\S/ }).waitFor()
  await page.goto(`${studio.service.url}/c/~./nothing`)
  await page
    .getByText('Stream “nothing” of component “.” does not exist, or you do not have access.')
    .waitFor()
})

test('tables of a board show samples and statistics of any ID', { skip }, async () => {
  const streams = []
  for (const [id, streamId] of [
    ['x/.', '.'],
    ['', ''],
  ] as const) {
    streams.push(await seed(id, streamId))
  }
  const cycle = {
    id: '..',
    name: 'Dots',
    sizeType: 'MINUTE',
    count: 1,
    referenceDate: '2026-01-01',
  }
  const made = await owner('PUT', '/api/cycle', { cycle })
  assert.equal(made.status, 200, made.text)
  const box = { x: 0, width: 6, height: 5 }
  const panels = [
    { kind: 'table', title: 'As they are', ...box, y: 0, streams },
    {
      kind: 'table',
      title: 'Summed',
      ...box,
      y: 5,
      streams,
      options: { cycleId: '..', stat: 'sum' },
    },
  ]
  const dashboard = { name: 'Odd', range: `${T0}..${T0 + 600_000}`, panels }
  const saved = await owner('PUT', '/api/dashboard', { dashboard })
  assert.equal(saved.status, 200, saved.text)
  const { page, complaints } = await studio.open(`/boards/${saved.body.dashboard.uid}`)
  const region = (name: string) => page.getByRole('region', { name })
  await shows(region('As they are').getByRole('row', { name: '2026-03-01 00:02:00 3' }), 2)
  await shows(region('Summed').getByRole('row', { name: '2026-03-01 00:02 2026-03-01 00:03 3' }), 2)
  await assertAccessible(page)
  await shoot(page, 'board-odd-ids')
  assert.deepEqual(complaints, [])
})

test('files of streams whose IDs are dots or blank are uploaded, shown and fetched', {
  skip,
}, async () => {
  for (const [id, streamId] of [
    ['.files', '.'],
    ['', ''],
  ] as const) {
    const stream = [{ id: streamId, name: 'Camera', valueType: 'FILE' }]
    const made = await owner('PUT', '/api/component', { component: { id, name: 'Mast', stream } })
    const { uid, stream: streams } = made.body.component
    const { page, complaints } = await studio.open(`/c/${uid}/${streams[0].uid}`)
    await page.getByLabel('Files to upload').setInputFiles({
      name: 'über 100%.txt',
      mimeType: 'text/plain',
      buffer: Buffer.from('all of it'),
    })
    const link = page.getByRole('region', { name: 'Files' }).getByRole('link')
    await link.getByText('über 100%.txt').waitFor()
    const address = (await link.getAttribute('href')) ?? ''
    const answer = await page.request.get(`${studio.service.url}${address}`)
    assert.deepEqual([answer.status(), await answer.text()], [200, 'all of it'])
    assert.deepEqual(complaints, [])
    await page.close()
  }
})
