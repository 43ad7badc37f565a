/** The page of a stream that is derived from others. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { browserSkip } from '../../support/browser.ts'
import { caller, signIn } from '../../support/caller.ts'
import { putSamples, type SeededComponent, seedComponent } from '../../support/seeded-streams.ts'
import { eventually, shows } from '../../support/settle.ts'
import { assertAccessible, chooseMore, shoot } from '../../support/studio.ts'
import { studioOfFile } from '../../support/studio-of-file.ts'

const skip = browserSkip()
const studio = studioOfFile()
let meter: SeededComponent

before(async () => {
  if (skip !== false) return
  const variables = [{ name: 'use', streamId: 'use' }]
  meter = await seedComponent(studio.service, { id: 'meter', name: 'Meter' }, [
    { id: 'use', name: 'Use', valueType: 'DOUBLE' },
    { id: 'cost', name: 'Cost', derivation: { expression: 'use * 0.25', variables } },
    { id: 'share', name: 'Share', derivation: { expression: 'sqrt(use)', variables } },
  ])
})

test('a derived stream shows its formula and error, and its samples cannot be edited', {
  skip,
}, async () => {
  const { service } = studio
  const at = Date.parse('2026-03-01T00:00:00Z')
  await putSamples(service, 'meter', [['use', at, 8]])
  await putSamples(service, 'meter', [['use', at + 60_000, -4]])
  const call = caller(service, await signIn(service, service.ownerEmail, service.ownerPassword))
  const statusOf = async (id: string) => {
    const { body } = await call('GET', `/api/component/${meter.uid}/stream/${meter.uidOf(id)}`)
    return body.stream.derivationStatus
  }
  await eventually(async () => assert.equal((await statusOf('cost')).sampleCount, 2))
  const problem: string = await eventually(async () => {
    const { lastError } = await statusOf('share')
    assert.ok(lastError, 'no error is reported')
    return lastError.message
  })
  const { page, complaints } = await studio.open(meter.pageOf('share'))
  await page.getByText('Calculated from other streams: sqrt(use)').waitFor()
  await page.getByText(`Last error: ${problem}`).waitFor()
  await shoot(page, 'stream-derived')
  await page.goto(`${service.url}${meter.pageOf('cost')}`)
  await page.getByText('Calculated from other streams: use * 0.25').waitFor()
  await page.getByRole('region', { name: 'Samples of Cost' }).waitFor()
  await shows(page.getByText('Last error:'), 0)
  await shows(page.getByRole('button', { name: 'Add', exact: true }), 0)
  await shows(page.getByRole('button', { name: /^(Edit|Delete) the sample/ }), 0)
  await assertAccessible(page)
  await page.goto(`${service.url}${meter.pageOf('use')}`)
  await page.getByRole('button', { name: 'Add', exact: true }).waitFor()
  await page
    .getByRole('button', { name: /^Edit the sample/ })
    .first()
    .waitFor()
  await shows(page.getByText('Calculated from other streams'), 0)
  assert.deepEqual(complaints, [])
})

test('deleting a source lists the derived streams that stop', { skip }, async () => {
  const variables = [{ name: 'use', componentId: 'meter', streamId: 'use' }]
  await seedComponent(studio.service, { id: 'bill', name: 'Bill' }, [
    { id: 'sum', name: 'Sum', derivation: { expression: 'use + 1', variables } },
  ])
  const source = `/build/component/${meter.uid}/stream/${meter.uidOf('use')}`
  const { page, complaints } = await studio.open(source)
  const stops = page.getByRole('list', { name: 'Streams that get no new samples' })
  await chooseMore(page, 'Delete')
  await page.getByText('3 streams are derived from it.').waitFor()
  for (const name of ['Cost of Meter', 'Share of Meter', 'Sum of Bill'])
    await stops.getByText(name, { exact: true }).waitFor()
  await shoot(page, 'delete-source')
  await assertAccessible(page)
  await page.goto(`${studio.service.url}/build/component/${meter.uid}`)
  await chooseMore(page, 'Delete')
  await page.getByText('One stream is derived from it.').waitFor()
  await shows(stops.getByRole('listitem'), 1)
  await stops.getByText('Sum of Bill', { exact: true }).waitFor()
  assert.deepEqual(complaints, [])
})
