import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { before, test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { browserSkip } from '../../support/browser.ts'
import { type Call, caller, signIn } from '../../support/caller.ts'
import { ownerOfFile } from '../../support/service-of-file.ts'
import { restingPlace, settlesLike, shows } from '../../support/settle.ts'
import {
  assertAccessible,
  assertFits,
  chooseMore,
  shoot,
  showsToast,
} from '../../support/studio.ts'
import { studioOfFile } from '../../support/studio-of-file.ts'

const skip = browserSkip()
const studio = studioOfFile()
const owner = ownerOfFile(studio.service)
let boiler: { componentUid: string; streamUid: string }
before(async () => {
  if (skip !== false) return
  boiler = await makeStream(owner, 'boiler', 'temp')
  await put(boilerSamples())
})

async function makeStream(call: Call, id: string, streamId: string) {
  const { unit } = (await call('GET', '/api/unit?limit=1000')).body
  const celsius = unit.find((one: { id: string }) => one.id === 'celsius')
  const stream = [{ id: streamId, valueType: 'DOUBLE', unit: { uid: celsius.uid } }]
  const made = await call('PUT', '/api/component', { component: { id, stream } })
  assert.equal(made.status, 200, made.text)
  const { component } = made.body
  return { componentUid: component.uid, streamUid: component.stream[0].uid }
}

/** An hour of samples up to now, one a minute. */
function boilerSamples() {
  const now = Date.now()
  return Array.from({ length: 60 }, (_, at) => ({
    compId: 'boiler',
    streamId: 'temp',
    time: now - (60 - at) * 60_000,
    data: 60 + 10 * Math.sin(at / 8),
  }))
}

async function put(samples: readonly object[]): Promise<void> {
  const answer = await owner('PUT', '/api/feed', samples as object[])
  assert.equal(answer.status, 200, answer.text)
}

async function save(record: object): Promise<string> {
  const made = await owner('PUT', '/api/dashboard', { dashboard: record })
  assert.equal(made.status, 200, made.text)
  return made.body.dashboard.uid
}

const button = (page: Page | Locator, name: string | RegExp) => page.getByRole('button', { name })
const text = (title: string, box: object) => ({ kind: 'text', title, text: title, ...box })
const boxOf = ({ x, y, width, height }: Record<string, number>) => [x, y, width, height]

async function panelsOf(uid: string) {
  return (await owner('GET', `/api/dashboard/${uid}`)).body.dashboard.panels
}

/** Where something is on the screen, brought into sight. */
async function placeOf(target: Locator) {
  await target.scrollIntoViewIfNeeded()
  return await restingPlace(target)
}

/** Adds a panel of a kind for the boiler's temperature. */
async function addPanel(page: Page, kind: string, title: string): Promise<void> {
  await button(page, /^Add panel$/).click()
  const dialog = page.getByRole('dialog', { name: 'New panel' })
  await dialog.getByLabel('Title').fill(title)
  await dialog.getByLabel('Panel type').selectOption({ label: kind })
  if (kind === 'Text') {
    await dialog.getByLabel('Text', { exact: true }).fill('Look daily')
  } else {
    await dialog.getByLabel('Add stream: search component or stream').fill('boiler')
    await button(dialog, /^boiler/).click()
    await dialog.getByLabel('Stream of boiler').selectOption({ label: 'temp' })
    await dialog.getByRole('list', { name: 'Streams of the panel' }).getByText('temp').waitFor()
  }
  if (title === 'Gauge panel') await assertAccessible(page)
  await button(dialog, 'Add to board').click()
  await page.getByRole('region', { name: title }).waitFor()
}

test('a board is made with every kind of panel, saved, and live', { skip }, async () => {
  const { page } = await studio.open('/boards')
  await page.getByText('No boards. A board shows charts').waitFor()
  await assertAccessible(page)
  await button(page, 'New board').click()
  await page.getByRole('dialog').getByLabel('Name').fill('Cellar')
  await button(page, 'Create').click()
  await page.waitForURL(/\/boards\/[0-9a-f-]{36}\?edit=1$/)
  await addPanel(page, 'Chart', 'Chart panel')
  await addPanel(page, 'Last value', 'Value panel')
  await addPanel(page, 'Gauge', 'Gauge panel')
  await addPanel(page, 'Table', 'Table panel')
  await addPanel(page, 'Text', 'Text panel')
  await assertAccessible(page)
  await shoot(page, 'board-edit')
  await page.getByLabel('ID', { exact: true }).fill('cellar')
  await button(page, 'Save').click()
  await showsToast(page, 'Board saved.')
  await button(page, 'Edit').waitFor()
  await page.getByRole('region', { name: 'Text panel' }).getByText('Look daily').waitFor()
  const values = page.getByRole('region', { name: 'Value panel' })
  await values
    .getByText(/^6\d\.\d+\s°C$|^5\d\.\d+\s°C$|^70/)
    .first()
    .waitFor()
  await page.getByRole('region', { name: 'Gauge panel' }).getByRole('meter').waitFor()
  const rows = page.getByRole('region', { name: 'Table panel' }).getByRole('row')
  await rows.nth(20).waitFor()
  const chart = page.getByRole('region', { name: 'Chart panel' })
  await chart.getByRole('group', { name: 'Chart panel' }).waitFor()
  await button(page, 'Table of Chart panel').click()
  await chart.getByText('boiler · temp, times in UTC').waitFor()
  await chart.getByRole('row').nth(30).waitFor()
  await assertAccessible(page)
  await button(page, 'Chart of Chart panel').click()
  await put([{ compId: 'boiler', streamId: 'temp', data: 99.5, time: Date.now() }])
  await values.getByText(/99\.5/).waitFor()
  await page.getByRole('region', { name: 'Table panel' }).getByText(/99\.5/).waitFor()
  await assertAccessible(page)
  await shoot(page, 'board')
  await page.getByLabel('Range').selectOption({ label: 'Last 15 minutes' })
  await page.waitForURL(/range=last-15min/)
  await rows.nth(18).waitFor({ state: 'detached' })
  await button(page, 'Live').click()
  await page.waitForURL(/live=off/)
})

test('panels are moved and resized by keyboard and mouse, and taken off; nothing is saved unasked', {
  skip,
}, async () => {
  const size = { width: 4, height: 2 }
  const panels = [text('One', { x: 0, y: 0, ...size }), text('Two', { x: 4, y: 0, ...size })]
  const uid = await save({ name: 'Moved', panels })
  const { page } = await studio.open(`/boards/${uid}?edit=1`)
  const move = button(page, /^Move One/)
  await move.focus()
  await move.press('ArrowRight')
  await page.getByText('One: column 2, row 1, 4 wide, 2 high').waitFor()
  await move.press('ArrowDown')
  await page.getByText('One: column 2, row 2, 4 wide, 2 high').waitFor()
  const resize = button(page, /^Resize One/)
  await resize.focus()
  await resize.press('ArrowRight')
  await resize.press('ArrowUp')
  await page.getByText('One: column 2, row 2, 5 wide, 1 high').waitFor()
  assert.deepEqual((await panelsOf(uid)).map(boxOf), [
    [0, 0, 4, 2],
    [4, 0, 4, 2],
  ])
  const dragged = await placeOf(move)
  await page.mouse.move(dragged.x + 5, dragged.y + 5)
  await page.mouse.down()
  await page.mouse.move(dragged.x + 405, dragged.y + 305, { steps: 3 })
  await page.keyboard.press('Escape')
  await page.mouse.up()
  await page.reload()
  await button(page, 'Save').click()
  await showsToast(page, 'Board saved.')
  assert.deepEqual((await panelsOf(uid)).map(boxOf), [
    [1, 1, 5, 1],
    [4, 3, 4, 2],
  ])
  await button(page, 'Edit').click()
  const handle = await placeOf(button(page, /^Move Two/))
  await page.mouse.move(handle.x + 5, handle.y + 5)
  await page.mouse.down()
  await page.mouse.move(handle.x - 395, handle.y + 215, { steps: 5 })
  await page.mouse.up()
  await page.getByText('Two: column 1, row 7, 4 wide, 2 high').waitFor()
  const corner = await placeOf(button(page, /^Resize Two/))
  await page.mouse.move(corner.x + 5, corner.y + 5)
  await page.mouse.down()
  await page.mouse.move(corner.x + 205, corner.y + 75, { steps: 5 })
  await page.mouse.up()
  await page.getByText('Two: column 1, row 7, 6 wide, 3 high').waitFor()
  await button(page, 'Remove One from the board').click()
  await shows(page.getByRole('region', { name: 'One' }), 0)
  await assertAccessible(page)
  await button(page, 'Save').click()
  await showsToast(page, 'Board saved.')
  const [two, ...rest] = await panelsOf(uid)
  assert.equal(rest.length, 0)
  assert.deepEqual(boxOf(two), [0, 6, 6, 3])
})

test('a panel that passes others keeps the focus on its handle', { skip }, async () => {
  const size = { width: 12, height: 1 }
  const panels = ['A', 'B', 'C'].map((title, y) => text(title, { x: 0, y, ...size }))
  const { page } = await studio.open(`/boards/${await save({ name: 'Order', panels })}?edit=1`)
  await button(page, /^Move A/).focus()
  for (let row = 2; row <= 5; row++) {
    await page.keyboard.press('ArrowDown')
    await page.getByText(`A: column 1, row ${row}, 12 wide, 1 high`).waitFor()
  }
  const focused = 'document.activeElement.getAttribute("aria-label")'
  await settlesLike(() => page.evaluate<string>(focused), /^Move A/)
})

test('what the service refuses stands at its field, and a discarded change is gone', {
  skip,
}, async () => {
  const size = { x: 0, y: 0, width: 4, height: 3 }
  const gauge = { kind: 'gauge', title: 'Pressure', ...size, streams: [boiler] }
  await save({ id: 'taken', name: 'Other' })
  const uid = await save({ name: 'Refused', panels: [gauge] })
  const { page } = await studio.open(`/boards/${uid}?edit=1`)
  await page.getByLabel('ID', { exact: true }).fill('taken')
  await button(page, 'Save').click()
  await page.getByText('ID "taken" is taken').waitFor()
  await page.getByLabel('ID', { exact: true }).fill('')
  await button(page, 'Edit Pressure').click()
  const dialog = page.getByRole('dialog', { name: 'Edit panel' })
  await dialog.getByLabel('From').fill('10')
  await dialog.getByLabel('To', { exact: true }).fill('5')
  await button(dialog, 'Add to board').click()
  await button(page, 'Save').click()
  await page
    .getByRole('alert')
    .filter({ hasText: ': 5 must be greater than the minimum' })
    .waitFor()
  await button(page, 'Edit Pressure').first().click()
  await dialog.getByText(': 5 must be greater than the minimum').waitFor()
  await assertAccessible(page)
  await dialog.getByLabel('To', { exact: true }).fill('50')
  await button(dialog, 'Add to board').click()
  await button(page, 'Discard changes').click()
  await button(page, 'Discard changes').waitFor({ state: 'detached' })
  assert.equal((await panelsOf(uid))[0].options.max, null)
  await owner('POST', `/api/dashboard/${uid}`, { dashboard: { name: 'Theirs' } })
  await page.reload()
  await page.getByRole('heading', { name: 'Theirs' }).waitFor()
})

test('a board is shown on the full screen, and left again', { skip }, async () => {
  const panels = [text('Seen from afar', { x: 0, y: 0, width: 12, height: 2 })]
  const { page } = await studio.open(`/boards/${await save({ name: 'Wall', panels })}`)
  await button(page, 'Full screen').click()
  await button(page, 'Exit full screen').waitFor()
  await page.getByRole('region', { name: 'Seen from afar' }).waitFor()
  await assertAccessible(page)
  await shoot(page, 'board-full')
  await button(page, 'Exit full screen').click()
  await page.getByRole('button', { name: 'Full screen', exact: true }).waitFor()
  await button(page, 'Exit full screen').waitFor({ state: 'detached' })
})

test('a board is exported and imported elsewhere, where missing streams are replaced', {
  skip,
}, async () => {
  const pump = await makeStream(owner, 'pump/1', 'state')
  const size = { x: 0, y: 0, width: 4, height: 3 }
  const value = { kind: 'value', title: 'Both', ...size, streams: [boiler, pump] }
  const uid = await save({ id: 'moving', name: 'Moving', panels: [value] })
  const { page } = await studio.open(`/boards/${uid}`)
  const downloading = page.waitForEvent('download')
  await chooseMore(page, 'Export')
  const download = await downloading
  assert.equal(download.suggestedFilename(), 'Moving.json')
  const file = readFileSync(await download.path(), 'utf8')
  const made = await owner('PUT', '/api/organization', { organization: { name: 'Other' } })
  const session = await signIn(
    studio.service,
    studio.service.ownerEmail,
    studio.service.ownerPassword,
  )
  const orgUid = made.body.organization.uid
  const other = caller(studio.service, `${session}; org=${orgUid}`)
  const there = await makeStream(other, 'boiler', 'temp')
  const instead = await makeStream(other, 'pump 2', 'state')
  await page.reload()
  await button(page, 'Account').click()
  await page.getByRole('dialog').getByLabel('Organization').selectOption({ label: 'Other' })
  await page.keyboard.press('Escape')
  await page.getByRole('link', { name: 'Boards' }).first().click()
  await page.getByText('No boards. A board shows charts').waitFor()
  await button(page, 'Import').click()
  const dialog = page.getByRole('dialog', { name: 'Import board' })
  const choose = (name: string, content: string) =>
    dialog
      .getByLabel('Exported board (JSON file)')
      .setInputFiles([{ name, mimeType: 'application/json', buffer: Buffer.from(content) }])
  await choose('x.json', 'no json')
  await dialog.getByText('This file is not JSON').waitFor()
  await choose('x.json', '{"dashboard":{"format":"other"}}')
  await dialog
    .getByText('This file contains no board. Choose a file that was exported from a board.')
    .waitFor()
  await choose('board.json', file)
  const missing = dialog.getByRole('group', { name: 'pump/1 / state' })
  await missing.waitFor()
  await shows(dialog.getByRole('group'), 1)
  await assertAccessible(page)
  await shoot(page, 'board-import')
  await missing.getByLabel('Replacement: component or stream').fill('pump 2')
  await button(missing, /^pump 2/).click()
  await missing.getByLabel('Stream of pump 2').selectOption({ label: 'state' })
  await missing.getByText('Replacement: pump 2 · state').waitFor()
  await dialog.getByLabel('Name').fill('Moved here')
  await button(dialog, 'Import').click()
  await showsToast(page, 'Board imported.')
  await page.getByRole('heading', { name: 'Moved here' }).waitFor()
  const { dashboard } = (await other('GET', '/api/dashboard')).body
  const found = (await other('GET', `/api/dashboard/${dashboard[0].uid}`)).body.dashboard
  assert.deepEqual(found.panels[0].streams, [there, instead])
})

test('the chart of a view is put on a board, with its range and statistic', { skip }, async () => {
  const uid = await save({ name: 'Takes more', panels: [] })
  const name = `${boiler.componentUid}.${boiler.streamUid}`
  const { page } = await studio.open(`/view?s=${name}&range=7d&cycle=hour&stat=max`)
  await button(page, 'Add to board').click()
  const dialog = page.getByRole('dialog', { name: 'Add to board' })
  await dialog.getByLabel('Board', { exact: true }).selectOption({ label: 'Takes more' })
  await dialog.getByLabel('Panel title').fill('From the view')
  await assertAccessible(page)
  await button(dialog, 'Add').click()
  await showsToast(page, 'Panel added to the board.')
  await page.getByRole('region', { name: 'From the view' }).waitFor()
  const [panel] = await panelsOf(uid)
  const shown = { ...boiler, label: 'boiler · temp' }
  assert.deepEqual([panel.kind, panel.range, panel.streams], ['chart', 'last-7d', [shown]])
  assert.deepEqual([panel.options.cycleId, panel.options.stat], ['hour', 'max'])
  await page.goto(`${studio.service.url}/c/${boiler.componentUid}/${boiler.streamUid}`)
  await button(page, 'Add to board').click()
  await dialog.getByLabel('Board', { exact: true }).selectOption({ label: 'New board' })
  await dialog.getByLabel('Board name').fill('Made on the way')
  await button(dialog, 'Add').click()
  await page.getByRole('heading', { name: 'Made on the way' }).waitFor()
  await page.getByRole('region', { name: 'temp' }).waitFor()
})

test('a deleted stream is shown in its panel, and a guest can only view', {
  skip,
}, async () => {
  const gone = await makeStream(owner, 'brief', 'temp')
  const size = { x: 0, y: 0, width: 6, height: 3 }
  const shown = (kind: string, y: number) => ({ kind, ...size, y, streams: [gone] })
  const panels = ['value', 'gauge', 'table', 'chart'].map((kind, at) => shown(kind, at * 3))
  const uid = await save({ name: 'Gone', panels })
  assert.equal((await owner('DELETE', `/api/component/${gone.componentUid}`)).status, 200)
  const [email, password] = ['guest@example.com', 'a long enough password']
  const org_user = { email, password, firstName: 'G', lastName: 'G', role: 'GUEST' }
  assert.equal((await owner('PUT', '/api/org_user', { org_user })).status, 200)
  const { page } = await studio.open(`/boards/${uid}?edit=1`, { isSignedIn: false })
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  // Nobody has kept its name, and its component is gone, too: the UID is all that is known.
  await page.getByText(`A stream (UID ${gone.streamUid}) was deleted.`).nth(3).waitFor()
  await shows(button(page, 'Edit'), 0)
  await shows(button(page, 'Save'), 0)
  await assertAccessible(page)
})

test('a live chart reloads changed streams, and names a deleted one', {
  skip,
}, async () => {
  const [calm, brief] = [
    await makeStream(owner, 'calm', 'temp'),
    await makeStream(owner, 'short-lived', 'temp'),
  ]
  const sample = (compId: string, data: number) => ({
    compId,
    streamId: 'temp',
    time: Date.now(),
    data,
  })
  await put([sample('calm', 1), sample('short-lived', 2)])
  const box = { x: 0, width: 6, height: 4 }
  const panels = [
    { kind: 'chart', title: 'Two', ...box, y: 0, streams: [calm, brief] },
    { kind: 'value', title: 'One', ...box, y: 4, streams: [brief] },
  ]
  const uid = await save({ name: 'News', range: 'last-1h', panels })
  const { page } = await studio.open(`/boards/${uid}`)
  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  const plotOf = ({ streamUid }: typeof calm) => new RegExp(`/stream/${streamUid}/plot`)
  const chart = page.getByRole('region', { name: 'Two' })
  await chart.getByText('short-lived · temp').waitFor()
  await page
    .getByRole('region', { name: 'One' })
    .getByText(/^2\s°C/)
    .waitFor()
  const deleting = `/api/component/${brief.componentUid}/stream/${brief.streamUid}`
  assert.equal((await owner('DELETE', deleting)).status, 200)
  await page.getByText('short-lived · temp was deleted.').nth(1).waitFor()
  asked.length = 0
  const again = page.waitForResponse(plotOf(calm))
  await put([sample('calm', 3)])
  await again
  const next = page.waitForResponse(plotOf(calm))
  await put([sample('calm', 4)])
  await next
  assert.deepEqual(
    asked.filter((url) => plotOf(brief).test(url)),
    [],
  )
  await assertAccessible(page)
})

test('a board shows a deleted stream by its last name, and can remove it', {
  skip,
}, async () => {
  const [kept, brief] = [
    await makeStream(owner, 'kept', 'temp'),
    await makeStream(owner, 'mayfly', 'temp'),
  ]
  await put([
    { compId: 'kept', streamId: 'temp', time: Date.now(), data: 1 },
    { compId: 'mayfly', streamId: 'temp', time: Date.now(), data: 2 },
  ])
  const box = { x: 0, width: 6, height: 4 }
  const panels = [
    { kind: 'chart', title: 'Both', ...box, y: 0, streams: [kept, brief] },
    { kind: 'value', title: 'Alone', ...box, y: 4, streams: [brief] },
  ]
  const uid = await save({ name: 'Short lives', range: 'last-1h', panels })
  const { page } = await studio.open(`/boards/${uid}?edit=1`)
  await page.getByRole('region', { name: 'Both' }).getByText('mayfly · temp').waitFor()
  await page
    .getByRole('button', { name: 'Move Both: drag or use the arrow keys' })
    .press('ArrowRight')
  await page.getByRole('button', { name: 'Save' }).click()
  await showsToast(page, 'Board saved.')
  const deleting = `/api/component/${brief.componentUid}/stream/${brief.streamUid}`
  assert.equal((await owner('DELETE', deleting)).status, 200)

  // A user who opens it later has never seen the stream.
  const { page: last } = await studio.open(`/boards/${uid}`)
  for (const [colorScheme, width] of [
    ['light', 1280],
    ['dark', 390],
  ] as const) {
    await last.emulateMedia({ colorScheme })
    await last.setViewportSize({ width, height: 800 })
    await last.locator(`html[data-theme="${colorScheme}"]`).waitFor()
    await last.getByText('mayfly · temp was deleted.').nth(1).waitFor()
    await last.getByRole('region', { name: 'Both' }).getByText('kept · temp').waitFor()
    await assertAccessible(last)
    await assertFits(last)
    await shoot(last, `board-deleted-${colorScheme}-${width}`)
  }
  const off = { name: 'Remove from board mayfly · temp' }
  await last.getByRole('region', { name: 'Alone' }).getByRole('button', off).click()
  await last.getByRole('region', { name: 'Alone' }).waitFor({ state: 'detached' })
  await last.getByRole('region', { name: 'Both' }).getByRole('button', off).click()
  await last.getByText('was deleted').first().waitFor({ state: 'detached' })
  await last.getByRole('button', { name: 'Save' }).click()
  await last.getByRole('button', { name: 'Edit', exact: true }).waitFor()
  const { body } = await owner('GET', `/api/dashboard/${uid}`)
  const left = body.dashboard.panels.map(({ streams }: { streams: { label: string }[] }) =>
    streams.map(({ label }) => label),
  )
  assert.deepEqual(left, [['kept · temp']])
})

test('names of 512 characters, texts and booleans fit, in both themes and on a phone', {
  skip,
}, async () => {
  const name = 'Größe_'.repeat(85)
  const stream = [
    { id: 'text', name, valueType: 'STRING' },
    { id: 'flag', valueType: 'BOOLEAN' },
    { id: 'none', valueType: 'DOUBLE' },
  ]
  const made = await owner('PUT', '/api/component', { component: { id: 'odd', name, stream } })
  const { component } = made.body
  const time = Date.now()
  await put([
    { compId: 'odd', streamId: 'text', time, data: 'überlanger Zustand '.repeat(20) },
    { compId: 'odd', streamId: 'flag', time, data: true },
  ])
  const streams = component.stream.map(({ uid }: { uid: string }) => ({
    componentUid: component.uid,
    streamUid: uid,
  }))
  const at = (kind: string, x: number, y: number) => ({
    kind,
    title: kind === 'value' ? name : '',
    x,
    y,
    width: 6,
    height: 4,
    streams,
  })
  const panels = [at('value', 0, 0), at('gauge', 6, 0), at('table', 0, 4), at('chart', 6, 4)]
  const uid = await save({ name, panels })
  for (const [width, colorScheme] of [
    [1280, 'dark'],
    [390, 'light'],
  ] as const) {
    const { page } = await studio.open(`/boards/${uid}`, {
      viewport: { width, height: 800 },
      colorScheme,
    })
    await page.getByText('überlanger Zustand').first().waitFor()
    await assertFits(page)
    await assertAccessible(page)
    await shoot(page, `board-odd-${width}`)
    await page.goto(`${studio.service.url}/boards`)
    await page.getByRole('link', { name: name.slice(0, 30) }).waitFor()
    await assertAccessible(page)
    await shoot(page, `boards-${width}`)
    await page.close()
  }
})
