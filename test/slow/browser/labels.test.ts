import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { browserSkip } from '../../support/browser.ts'
import { InfluxClient } from '../../support/influx-client.ts'
import { ownerOfFile } from '../../support/service-of-file.ts'
import { comesTrue, settlesTo, shows } from '../../support/settle.ts'
import {
  assertAccessible,
  assertFits,
  complaintsOtherThan,
  shoot,
  shootAll,
  showsToast,
} from '../../support/studio.ts'
import { studioOfFile } from '../../support/studio-of-file.ts'

const skip = browserSkip()
const studio = studioOfFile()
const owner = ownerOfFile(studio.service)
let influx: InfluxClient
const guest = { email: 'guest@example.com', password: 'a quiet reader of labels' }
before(async () => {
  if (skip !== false) return
  const { service } = studio
  influx = new InfluxClient(service)
  const org_user = { ...guest, firstName: 'G', lastName: 'G', role: 'GUEST' }
  const made = await owner('PUT', '/api/org_user', { org_user })
  assert.equal(made.status, 200, made.text)
})

const rightOf = (box: { x: number; width: number } | null) => (box?.x ?? 0) + (box?.width ?? 0)

/** Writes a line, and finds the component and stream of one of its fields. */
async function streamOf(line: string, id: string) {
  const { status, text } = await influx.write(`${line} ${Date.now()}`)
  assert.equal(status, 204, text)
  const component = (await owner('GET', '/api/component')).body.component.find(
    (one: { id: string }) => line.includes(`host=${one.id}`),
  )
  const at = `/api/component/${component.uid}/stream`
  const { stream } = (await owner('GET', at)).body
  const { uid } = stream.find((one: { id: string }) => one.id === id)
  const path = `${component.uid}/stream/${uid}`
  return {
    componentUid: component.uid as string,
    edit: `/build/component/${path}`,
    view: `/c/${component.uid}/${uid}`,
    get: async () => (await owner('GET', `${at}/${uid}`)).body.stream,
    set: async (labels: object) => {
      const saved = await owner('POST', `${at}/${uid}`, { stream: { labels } })
      assert.equal(saved.status, 200, saved.text)
    },
  }
}

test('labels are added, changed, and removed by keyboard, and mistakes stand at their field', {
  skip,
}, async () => {
  const stream = await streamOf('climate,host=north,room=hall temp=21.5', 'climate_temp,room=hall')
  const { page, complaints } = await studio.open(stream.edit)
  const labels = page.getByRole('group', { name: 'Labels' })
  const add = labels.getByRole('button', { name: 'Add label' })
  await labels.getByLabel('Name of label 3').waitFor()
  await add.focus()
  await page.keyboard.press('Enter')
  await page.keyboard.type('room')
  await labels.getByText('Another label has this name.').waitFor()
  await page.keyboard.press('Enter')
  // The form is not sent, and the field has the focus.
  const name = labels.getByLabel('Name of label 4')
  await labels.locator('input:focus').waitFor()
  assert.equal(await labels.locator('input:focus').getAttribute('aria-invalid'), 'true')
  assert.equal((await stream.get()).revision, 1)
  await name.fill('site')
  await page.keyboard.press('Tab')
  await page.keyboard.type('Nord-Süd')
  await labels.getByRole('button', { name: 'Remove label host' }).click()
  await labels.getByLabel('Value of label 2').fill('')
  await assertAccessible(page)
  await page.getByRole('button', { name: 'Save' }).click()
  await showsToast(page, 'Stream saved.')
  const saved = await stream.get()
  assert.deepEqual(saved.labels, { __name__: 'climate_temp', site: 'Nord-Süd' })
  assert.deepEqual(saved.series, { __name__: 'climate_temp', host: 'north', room: 'hall' })
  await shows(labels.getByLabel(/^Name of label/), 2)
  await labels.getByLabel('Name of label 2').fill('x'.repeat(201))
  await page.getByRole('button', { name: 'Save' }).click()
  await labels
    .getByRole('alert')
    .getByText(/^Labels are invalid: .*1 to 200 char/)
    .waitFor()
  await page.getByRole('button', { name: 'Discard changes' }).click()
  await settlesTo(() => labels.getByLabel('Name of label 2').inputValue(), 'site')
  assert.deepEqual(complaintsOtherThan(complaints, 400), [])
})

test('64 labels, the longest texts, and texts from right to left fit every page', {
  skip,
}, async () => {
  const stream = await streamOf('wide,host=many value=1', 'wide')
  const many = Array.from({ length: 61 }, (_, at) => [`label-${at}`, `value ${at}`])
  const labels = {
    ...Object.fromEntries(many),
    ['n'.repeat(200)]: 'w'.repeat(4_096),
    مكان: 'القاعة الشمالية رقم ١٢، الطابق الثاني، المبنى الرئيسي للمصنع',
    lines: 'one\ntwo\nthree',
  }
  await stream.set(labels)
  const { page } = await studio.open(stream.edit)
  const group = page.getByRole('group', { name: 'Labels' })
  await shows(group.getByLabel(/^Name of label/), 64)
  await group.getByText('A stream can have at most 64 labels.').waitFor()
  assert.equal(await group.getByRole('button', { name: 'Add label' }).isDisabled(), true)
  await group.getByLabel('Name of label 64').scrollIntoViewIfNeeded()
  await shootAll(page, 'labels-edit')
  // What nobody touches is saved as it was.
  await group.getByRole('button', { name: 'Remove label label-7', exact: true }).click()
  await page.getByRole('button', { name: 'Save' }).click()
  await showsToast(page, 'Stream saved.')
  const { 'label-7': _, ...rest } = labels as Record<string, string>
  assert.deepEqual((await stream.get()).labels, rest)
  await page.goto(`${studio.service.url}${stream.view}`)
  const list = page.getByRole('list', { name: 'Labels' })
  await shows(list.getByText(' = '), 8)
  await shootAll(page, 'labels-view')
  await page.getByRole('button', { name: 'Show all (63)' }).click()
  await shows(list.getByText(' = '), 63)
  await shoot(page, 'labels-all')
  await assertAccessible(page)
  await page.setViewportSize({ width: 390, height: 800 })
  await assertFits(page)
})

test('a series is shown, and detached without losing what is typed', { skip }, async () => {
  const stream = await streamOf('flow,host=pump rate=3', 'flow_rate')
  const { page } = await studio.open(stream.edit)
  const series = page.getByRole('region', { name: 'Series' })
  await series.getByText('flow_rate').waitFor()
  await page.getByLabel('Name', { exact: true }).fill('Flow')
  await series.scrollIntoViewIfNeeded()
  await shootAll(page, 'series')
  await series.getByRole('button', { name: 'Detach …' }).click()
  const dialog = page.getByRole('dialog', { name: 'Detach the series?' })
  await assertAccessible(page)
  await dialog.getByRole('button', { name: 'Detach' }).click()
  await showsToast(page, 'Series detached.')
  await series.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Save' }).click()
  await showsToast(page, 'Stream saved.')
  const saved = await stream.get()
  assert.deepEqual([saved.name, saved.series], ['Flow', undefined])
})

test('addresses of a component are removed, and a new series then makes another component', {
  skip,
}, async () => {
  const { componentUid } = await streamOf('flow,host=valve rate=3', 'flow_rate')
  const path = `/api/component/${componentUid}`
  const renamed = await owner('POST', path, { component: { id: 'inlet' } })
  assert.equal(renamed.status, 200, renamed.text)
  const { page } = await studio.open(`/build/component/${componentUid}`)
  const addresses = page.getByRole('group', { name: 'Addressed as' })
  await addresses.getByText('valve', { exact: true }).waitFor()
  await shootAll(page, 'addresses')
  await addresses.getByRole('button', { name: 'Remove address valve' }).click()
  await page.getByRole('button', { name: 'Save' }).click()
  await showsToast(page, 'Component saved.')
  await addresses.waitFor({ state: 'detached' })
  const { component } = (await owner('GET', path)).body
  assert.equal(component.addressedAs, undefined)
  await influx.write(`flow,host=valve level=3 ${Date.now()}`)
  const found = (await owner('GET', '/api/component?id=valve')).body
  assert.equal(found.totalCount, 1)
})

test('streams of a template have labels, which its components get', { skip }, async () => {
  const { page } = await studio.open('/build/component_template/new')
  await page.getByLabel('ID', { exact: true }).fill('labeled')
  await page.getByRole('button', { name: 'Add stream' }).click()
  const stream = page.getByRole('group', { name: 'Stream 1' })
  await stream.getByLabel('ID', { exact: true }).fill('temp')
  await page.getByRole('button', { name: 'Add label' }).click()
  await page.getByLabel('Name of label 1').fill('site')
  await page.getByLabel('Value of label 1').fill('north')
  await page.getByRole('button', { name: 'Create' }).click()
  await showsToast(page, 'Template saved.')
  await assertAccessible(page)
  const put = await owner('PUT', '/api/feed?compTmplId=labeled&compId=made&temp=1')
  assert.equal(put.status, 200, put.text)
  const { uid } = (await owner('GET', '/api/component?id=made')).body.component[0]
  const { stream: made } = (await owner('GET', `/api/component/${uid}/stream`)).body
  assert.deepEqual(made[0].labels, { site: 'north' })
})

test('a guest sees labels and series and can change neither', { skip }, async () => {
  const stream = await streamOf('flow,host=guarded rate=3', 'flow_rate')
  const { page } = await studio.open(stream.edit, { as: guest })
  const series = page.getByRole('region', { name: 'Series' })
  await series.getByText('flow_rate').waitFor()
  await shows(series.getByRole('button', { name: 'Detach …' }), 0)
  assert.equal(await page.getByLabel('Value of label 1').isDisabled(), true)
  await assertAccessible(page)
})

test('streams are found by a label, from a chip, in the tree, and in the search of everything', {
  skip,
}, async () => {
  const hall = await streamOf('air,host=fan1,zone=Hall\\ one co2=400', 'air_co2,zone=Hall one')
  const long = `fan2${'-over-the-north-gate'.repeat(5)}`
  await streamOf(`air,host=${long},zone=Hall\\ two co2=400`, 'air_co2,zone=Hall two')
  const { page, complaints } = await studio.open(hall.view)
  const chips = page.getByRole('list', { name: 'Labels' })
  await chips.getByRole('link', { name: 'zone = Hall one' }).click()
  await page.waitForURL(/\/c\?find=zone%3DHall%20one$|find=zone%3DHall\+one/)
  const found = page.getByRole('list', { name: 'Streams found' })
  await settlesTo(() => found.getByRole('link').allInnerTexts(), ['air_co2,zone=Hall one\nfan1'])
  const search = page.getByRole('searchbox', { name: /^Search components/ })
  await search.fill('zone=hall')
  await shows(found.getByRole('link'), 2)
  await page.getByText('2 streams', { exact: true }).waitFor()
  await shootAll(page, 'label-search')
  await search.press('ArrowDown')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: /fan2/ }).waitFor()
  await shows(found.getByRole('link'), 2)
  const [panel, row] = [
    page.getByRole('region', { name: 'Components' }),
    found.locator('li').last(),
  ]
  await comesTrue(
    async () => rightOf(await row.boundingBox()) <= rightOf(await panel.boundingBox()),
  )
  await search.fill('zone=nowhere')
  await page.getByText('No stream has this label.').waitFor()
  await page.keyboard.press('Control+k')
  await page.keyboard.type('zone=hall tw')
  await page.getByRole('option', { name: /fan2/ }).waitFor()
  assert.deepEqual(complaints, [])
})
