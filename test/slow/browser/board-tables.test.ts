/** Tables of a board, and deleted streams on it. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { browserSkip } from '../../support/browser.ts'
import { putSamples, type SeededComponent, seedComponent } from '../../support/seeded-streams.ts'
import { ownerOfFile } from '../../support/service-of-file.ts'
import { shows } from '../../support/settle.ts'
import { assertAccessible, assertFits, shoot } from '../../support/studio.ts'
import { studioOfFile } from '../../support/studio-of-file.ts'

const skip = browserSkip()
const HOUR = 3_600_000
/** Midnight in Berlin, before the hour that comes twice. */
const T0 = Date.parse('2026-10-24T22:00:00Z')
const studio = studioOfFile()
const owner = ownerOfFile(studio.service)
let hall: SeededComponent

before(async () => {
  if (skip !== false) return
  const { service } = studio
  hall = await seedComponent(service, { id: 'hall', name: 'Hall', timeZoneId: 'Europe/Berlin' }, [
    { id: 'temp', name: 'Temperature', valueType: 'DOUBLE', unit: 'celsius' },
    { id: 'brief', name: 'Brief', valueType: 'DOUBLE' },
  ])
  const samples = Array.from({ length: 12 }, (_, at) => {
    return ['temp', T0 + (at * HOUR) / 2, at] as const
  })
  await putSamples(service, 'hall', samples)
})

async function save(panels: object[]): Promise<string> {
  const dashboard = { name: 'Clocks', range: `${T0}..${T0 + 6 * HOUR}`, panels }
  const made = await owner('PUT', '/api/dashboard', { dashboard })
  assert.equal(made.status, 200, made.text)
  return `/boards/${made.body.dashboard.uid}`
}

const streamOf = (id: string) => ({ componentUid: hall.uid, streamUid: hall.uidOf(id) })

test('tables distinguish samples and periods of a repeated hour', { skip }, async () => {
  const box = { x: 0, width: 6, height: 6, streams: [streamOf('temp')] }
  const place = await save([
    { kind: 'table', title: 'Samples', ...box, y: 0 },
    {
      kind: 'table',
      title: 'Hours',
      ...box,
      x: 6,
      y: 0,
      options: { cycleId: 'hour', stat: 'max' },
    },
  ])
  for (const [colorScheme, width] of [
    ['light', 1280],
    ['dark', 390],
  ] as const) {
    const { page, complaints } = await studio.open(place, {
      colorScheme,
      viewport: { width, height: 900 },
    })
    const row = (title: string, name: string) =>
      page.getByRole('region', { name: title }).getByRole('row', { name, exact: true }).waitFor()
    await row('Samples', '2026-10-25 01:30:00 3 °C')
    await row('Samples', '2026-10-25 02:30:00 UTC+2 5 °C')
    await row('Samples', '2026-10-25 02:30:00 UTC+1 7 °C')
    await row('Samples', '2026-10-25 03:30:00 9 °C')
    await row('Hours', '2026-10-25 02:00 UTC+2 2026-10-25 02:00 UTC+1 5 °C')
    await row('Hours', '2026-10-25 02:00 UTC+1 2026-10-25 03:00 7 °C')
    await assertAccessible(page)
    await assertFits(page)
    await shoot(page, `board-tables-${colorScheme}-${width}`)
    assert.deepEqual(complaints, [])
    await page.close()
  }
})

test('a deleted stream without a known name is shown with its component and UID', {
  skip,
}, async () => {
  const brief = streamOf('brief')
  const box = { x: 0, width: 6, height: 3, streams: [brief] }
  const kinds = ['value', 'gauge', 'table', 'chart']
  const place = await save(kinds.map((kind, at) => ({ kind, ...box, y: at * 3 })))
  const path = `/api/component/${hall.uid}/stream/${brief.streamUid}`
  assert.equal((await owner('DELETE', path)).status, 200)
  const { page } = await studio.open(place)
  await page.getByText(`A stream of Hall (UID ${brief.streamUid}) was deleted.`).nth(3).waitFor()
  await shows(page.locator('canvas'), 0)
  await assertAccessible(page)
  await shoot(page, 'board-deleted-unnamed')
})
