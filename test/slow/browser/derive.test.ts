/** Streams that are derived from others, as people make and watch them. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { browserSkip } from '../../support/browser.ts'
import { putSamples, type SeededComponent, seedComponent } from '../../support/seeded-streams.ts'
import { ownerOfFile } from '../../support/service-of-file.ts'
import { eventually, settlesTo, shows } from '../../support/settle.ts'
import {
  assertAccessible,
  assertFits,
  complaintsOtherThan,
  shoot,
  showsToast,
} from '../../support/studio.ts'
import { studioOfFile } from '../../support/studio-of-file.ts'

const skip = browserSkip()
const AT = Date.parse('2026-03-01T00:00:00Z')
const studio = studioOfFile({ settings: { WEIR_OWNER_TIME_ZONE: 'Europe/Berlin' } })
const owner = ownerOfFile(studio.service)
let meter: SeededComponent

before(async () => {
  if (skip !== false) return
  const { service } = studio
  meter = await seedComponent(service, { id: 'meter', name: 'Meter' }, [
    { id: 'use', name: 'Use', valueType: 'DOUBLE' },
    { id: 'state', name: 'State', valueType: 'STRING' },
  ])
  await seedComponent(service, { id: 'tariff', name: 'Tariff' }, [
    { id: 'rate', name: 'Rate', valueType: 'DOUBLE' },
  ])
  const minutes = [0, 1, 2, 3].map((at) => AT + at * 60_000)
  await putSamples(
    service,
    'meter',
    minutes.map((time, at) => ['use', time, at] as const),
  )
  await putSamples(
    service,
    'tariff',
    minutes.map((time) => ['rate', time, 0.25] as const),
  )
})

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const formula = (page: Page) => page.getByRole('textbox', { name: 'Formula' })

/** Writes a formula as a person does: key by key. */
async function write(page: Page, text: string): Promise<void> {
  await formula(page).click()
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.type(text)
}

test('a derived stream is made: formula checked while it is typed, sources of two components', {
  skip,
}, async () => {
  const { page, complaints } = await studio.open(`/build/component/${meter.uid}/stream/new`)
  await page.getByLabel('ID', { exact: true }).fill('cost')
  await page.getByLabel('Source').selectOption({ label: 'Calculated from other streams' })
  await button(page, 'Add variable').click()
  const first = page.getByRole('group', { name: 'Variable a' })
  await first.getByLabel('Name', { exact: true }).fill('use')
  const use = page.getByRole('group', { name: 'Variable use' })
  await use.getByLabel('Stream', { exact: true }).selectOption({ label: 'Use' })
  await button(page, 'Add variable').click()
  const second = page.getByRole('group', { name: 'Variable a' })
  await second.getByLabel('Name', { exact: true }).fill('rate')
  const rate = page.getByRole('group', { name: 'Variable rate' })
  await rate.getByLabel('Stream', { exact: true }).selectOption({ label: 'Another component …' })
  await page.getByLabel('Component', { exact: true }).fill('tariff')
  await page.getByRole('button', { name: /^Tariff/ }).click()
  await page.getByLabel('Stream of Tariff').selectOption({ label: 'Rate' })
  await rate
    .getByLabel('Stream', { exact: true })
    .getByText('rate of tariff')
    .waitFor({ state: 'attached' })
  await write(page, 'use * rtae')
  await page.getByText('Line 1, column 7: Unknown variable "rtae": did you mean "rate"?').waitFor()
  await page.locator('.cm-lintRange-error').filter({ hasText: 'rtae' }).waitFor()
  await shoot(page, 'derive-mistake')
  await assertAccessible(page)
  await write(page, 'rou')
  await page.getByRole('option', { name: /^round/ }).click()
  await page.keyboard.type('use * rate, 2')
  await page.locator('.cm-content').filter({ hasText: 'round(use * rate, 2)' }).waitFor()
  const results = page.getByRole('region', { name: 'Results' })
  await results.getByRole('row', { name: '2026-03-01 01:03:00 UTC+1 0.75' }).waitFor()
  await shows(results.getByRole('row'), 5)
  await page.getByRole('region', { name: 'Preview' }).scrollIntoViewIfNeeded()
  await shoot(page, 'derive-preview')
  await button(page, 'Create').click()
  await showsToast(page, 'Stream saved.')
  await page.waitForURL(/\/stream\/[0-9a-f-]{36}$/)
  await eventually(async () => {
    const { body } = await owner('GET', `/api/component/${meter.uid}/stream`)
    const made = body.stream.find(({ id }: { id: string }) => id === 'cost')
    assert.equal(made.derivation.expression, 'round(use * rate, 2)')
    assert.deepEqual(
      made.derivation.variables.map(({ componentId, streamId }: Record<string, string>) => [
        componentId,
        streamId,
      ]),
      [
        ['', 'use'],
        ['tariff', 'rate'],
      ],
    )
  })
  await assertAccessible(page)
  await shoot(page, 'derive-made')
  await page.setViewportSize({ width: 390, height: 800 })
  await assertFits(page)
  await shoot(page, 'derive-phone')
  // The browser logs the previews that were rejected while the formula had an error.
  assert.deepEqual(complaintsOtherThan(complaints, 400), [])
})

test('results of a formula are asked for when there is one, not of the blank before it', {
  skip,
}, async () => {
  const { page, complaints } = await studio.open(`/build/component/${meter.uid}/stream/new`)
  await page.getByLabel('Source').selectOption('FROM_EXPRESSION')
  await button(page, 'Add variable').click()
  const first = page.getByRole('group', { name: 'Variable a' })
  await first.getByLabel('Stream', { exact: true }).selectOption({ label: 'Use' })
  await page.getByText('Enter a formula and choose a stream').waitFor()
  await write(page, 'a')
  const results = page.getByRole('region', { name: 'Results' })
  await results.getByRole('row', { name: '2026-03-01 01:03:00 UTC+1 3', exact: true }).waitFor()
  await write(page, ' ')
  await page.getByText('Enter a formula and choose a stream').waitFor()
  await write(page, 'a')
  await results.getByRole('row', { name: '2026-03-01 01:03:00 UTC+1 3', exact: true }).waitFor()
  assert.deepEqual(complaints, [])
})

/** Saves a derived stream by the API; answers the URL of its editor. */
async function derive(component: SeededComponent, stream: object): Promise<string> {
  const { status, text, body } = await owner('PUT', `/api/component/${component.uid}/stream`, {
    stream,
  })
  assert.equal(status, 200, text)
  return `/build/component/${component.uid}/stream/${body.stream.uid}`
}

test('dependencies, status, and history of a derived stream are shown, and its history is requested', {
  skip,
}, async () => {
  const { service } = studio
  const boiler = await seedComponent(service, { id: 'boiler', name: 'Boiler' }, [
    { id: 'level', name: 'Level', valueType: 'DOUBLE' },
  ])
  await putSamples(service, 'boiler', [
    ['level', AT, 9],
    ['level', AT + 60_000, 16],
  ])
  const variables = [{ name: 'level', streamId: 'level' }]
  const root = await derive(boiler, {
    id: 'root',
    name: 'Root',
    derivation: { expression: 'sqrt(level)', variables },
  })
  await derive(boiler, {
    id: 'twice',
    name: 'Twice',
    derivation: { expression: 'r * 2', variables: [{ name: 'r', streamId: 'root' }] },
  })
  await putSamples(service, 'boiler', [['level', AT + 120_000, -4]])
  const { page, complaints } = await studio.open(root, { colorScheme: 'dark' })
  const from = page.getByRole('list', { name: 'Derived from', exact: true })
  const to = page.getByRole('list', { name: 'Used by' })
  await from.getByRole('link', { name: 'Level of Boiler' }).waitFor()
  await to.getByRole('link', { name: 'Twice of Boiler' }).waitFor()
  const state = page.getByRole('region', { name: 'Status' })
  await state.getByText(/^Last error: /).waitFor()
  await state.getByText('-4', { exact: true }).waitFor()
  await state.getByText('2026-03-01 01:02:00 UTC+1').waitFor()
  const history = page.getByRole('region', { name: 'Recalculate history' })
  await button(page, 'Recalculate').click()
  await history.getByText(/^Done · started/).waitFor()
  await eventually(async () => {
    const { body } = await owner('GET', '/api/comp/boiler/stream/root/feed?limit=10')
    assert.equal(body.length, 2)
  })
  await history.scrollIntoViewIfNeeded()
  await assertAccessible(page)
  await shoot(page, 'derive-state')
  await write(page, 'sqrt(level) + 1')
  await page.getByText('Save first. The saved formula is used.').waitFor()
  await button(page, 'Save').click()
  await showsToast(page, 'Stream saved.')
  await history.getByLabel('From').fill('yesterday')
  await history.getByLabel('From').blur()
  await history.getByText('Enter a time such as 2026-11-15 16:31:48.').waitFor()
  await settlesTo(() => button(page, 'Recalculate').isDisabled(), true)
  await history.getByLabel('From').fill('2026-03-01 01:01:00')
  await button(page, 'Recalculate').click()
  await eventually(async () => {
    const { body } = await owner('GET', '/api/comp/boiler/stream/root/feed?limit=10')
    const values = body.map(({ data }: { data: string }) => Number(data))
    assert.deepEqual(values.toSorted(), [3, 5])
  })
  await from.getByRole('link', { name: 'Level of Boiler' }).click()
  await to.getByRole('link', { name: 'Root of Boiler' }).waitFor()
  await shows(page.getByRole('region', { name: 'Recalculate history' }), 0)
  await page.setViewportSize({ width: 390, height: 800 })
  await page.goBack()
  await state.getByText('Samples stored').waitFor()
  await assertFits(page)
  await state.scrollIntoViewIfNeeded()
  await shoot(page, 'derive-state-phone')
  // The browser logs the previews that were rejected while the formula was incomplete.
  assert.deepEqual(complaintsOtherThan(complaints, 400), [])
})

test('deriving a long history shows how far it is, and can be cancelled', { skip }, async () => {
  const { service } = studio
  const long = await seedComponent(service, { id: 'long', name: 'Long' }, [
    {
      id: 'pulse',
      name: 'Pulse',
      valueType: 'DOUBLE',
      streamType: 'intvl_stream',
      baseCycle: { id: 'second' },
    },
  ])
  // Two years of seconds, of which the formula makes a value each.
  await putSamples(service, 'long', [
    ['pulse', AT - 2 * 365 * 86_400_000, 1],
    ['pulse', AT, 1],
  ])
  const editor = await derive(long, {
    id: 'filled',
    streamType: 'intvl_stream',
    baseCycle: { id: 'second' },
    derivation: { expression: 'ifNull(p, 0)', variables: [{ name: 'p', streamId: 'pulse' }] },
  })
  const { page, complaints } = await studio.open(editor)
  const history = page.getByRole('region', { name: 'Recalculate history' })
  await button(page, 'Recalculate').click()
  await history.getByRole('progressbar').waitFor()
  await history.getByText(/ % of the range$/).waitFor()
  await shoot(page, 'derive-progress')
  await assertAccessible(page)
  await button(page, 'Cancel').click()
  await history.getByText(/^Canceled. Results stored so far stay/).waitFor()
  await shows(history.getByRole('progressbar'), 0)
  assert.deepEqual(complaints, [])
})

test('streams of a template are derived from each other', {
  skip,
}, async () => {
  const { page, complaints } = await studio.open('/build/component_template/new')
  await page.getByLabel('Name', { exact: true }).first().fill('Doublers')
  await button(page, 'Add stream').click()
  await button(page, 'Add stream').click()
  const source = page.getByRole('group', { name: 'Stream 1' })
  await source.getByLabel('ID', { exact: true }).fill('raw')
  await page.getByRole('group', { name: 'raw' }).getByLabel('Value type').selectOption('DOUBLE')
  const second = page.getByRole('group', { name: 'Stream 2' })
  await second.getByLabel('ID', { exact: true }).fill('twice')
  const twice = page.getByRole('group', { name: 'twice' })
  await twice.getByLabel('Source').selectOption('FROM_EXPRESSION')
  await twice.getByRole('button', { name: 'Add variable' }).click()
  await twice.getByLabel('Stream', { exact: true }).selectOption({ label: 'raw' })
  await write(page, 'a * 2 +')
  await page.getByText(/^Line 1, column \d+: /).waitFor()
  await write(page, 'a * 2')
  await shows(page.getByText(/^Line 1, column/), 0)
  await button(page, 'Create').click()
  await showsToast(page, 'Template saved.')
  await page.waitForURL(/\/component_template\/[0-9a-f-]{36}$/)
  await assertAccessible(page)
  const { body } = await owner('GET', '/api/component_template')
  const [{ stream }] = body.component_template
  assert.equal(stream[1].derivation.expression, 'a * 2')
  assert.equal(stream[1].derivation.variables[0].streamId, 'raw')
  assert.deepEqual(complaints, [])
})

test('a variable reads a statistic of a period, further back; all of it fits a phone', {
  skip,
}, async () => {
  const path = `/build/component/${meter.uid}/stream/new`
  const viewport = { width: 390, height: 800 }
  const { page, complaints } = await studio.open(path, { viewport, colorScheme: 'dark' })
  await page.getByLabel('Source').selectOption('FROM_EXPRESSION')
  for (const name of ['a', 'b']) {
    await button(page, 'Add variable').click()
    const row = page.getByRole('group', { name: `Variable ${name}` })
    await row.getByLabel('Stream', { exact: true }).selectOption({ label: 'Use' })
  }
  const before = page.getByRole('group', { name: 'Variable b' })
  await before.getByLabel('Offset (steps back)').fill('1')
  await before.getByText('the previous sample or interval').waitFor()
  await write(page, 'a - b')
  const results = page.getByRole('region', { name: 'Results' })
  await results.getByRole('row', { name: '2026-03-01 01:03:00 UTC+1 1', exact: true }).waitFor()
  await before.getByLabel('Reads').selectOption({ label: 'Mean' })
  await before.getByLabel('Offset (steps back)').fill('0')
  await before.getByLabel('Per').selectOption({ label: 'hour' })
  // Of 0, 1, 2 and 3 so far.
  await results.getByRole('row', { name: '2026-03-01 01:03:00 UTC+1 1.5', exact: true }).waitFor()
  await assertFits(page)
  await assertAccessible(page)
  await shoot(page, 'derive-phone-results')
  await write(page, 'a - ro')
  await page.getByRole('option', { name: /^round/ }).waitFor()
  await shoot(page, 'derive-phone-completion')
  await page.keyboard.press('Escape')
  await write(page, 'a - ')
  await page.getByText(/^Line 1, column \d+: /).waitFor()
  await before.scrollIntoViewIfNeeded()
  await shoot(page, 'derive-phone-variables')
  await assertFits(page)
  assert.deepEqual(complaintsOtherThan(complaints, 400), [])
})

test('a guest reads a formula and its results, and changes nothing', { skip }, async () => {
  const as = { email: 'guest@example.com', password: 'a long enough password' }
  const org_user = { ...as, firstName: 'G', lastName: 'G', role: 'GUEST' }
  assert.equal((await owner('PUT', '/api/org_user', { org_user })).status, 200)
  const variables = [{ name: 'use', streamId: 'use' }]
  const editor = await derive(meter, {
    id: 'read',
    derivation: { expression: 'use * 2', variables },
  })
  const { page, complaints } = await studio.open(editor, { as })
  const results = page.getByRole('region', { name: 'Results' })
  await results.getByRole('row', { name: '2026-03-01 01:03:00 UTC+1 6', exact: true }).waitFor()
  await page.getByRole('list', { name: 'Derived from', exact: true }).waitFor()
  await formula(page).click()
  await page.keyboard.type('3')
  await settlesTo(() => formula(page).getAttribute('aria-readonly'), 'true')
  await settlesTo(() => formula(page).innerText(), 'use * 2')
  await shows(page.getByRole('region', { name: 'Recalculate history' }), 0)
  await shows(button(page, 'Save'), 0)
  await assertAccessible(page)
  assert.deepEqual(complaints, [])
})
