/** How people move between pages: the secondary navigation, the way up from a record, menus, and the account. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { browserSkip } from '../../support/browser.ts'
import { type Call, caller, signIn } from '../../support/caller.ts'
import { FeedClient } from '../../support/feed-client.ts'
import { settlesTo, shows } from '../../support/settle.ts'
import { assertAccessible, chooseMore, shootAll } from '../../support/studio.ts'
import { studioOfFile } from '../../support/studio-of-file.ts'

const skip = browserSkip()

const SECTIONS = {
  '/build': ['Components', 'Templates', 'Cycles', 'Units', 'Delete profiles', 'Folders'],
  '/connect': ['Connectors', 'Connections', 'Send data', 'Refused points'],
  '/alerts': ['Alerts', 'Channels'],
  '/admin': ['People', 'API keys', 'OAuth clients', 'Organization', 'Audit log', 'Health'],
  '/account': ['Profile and password', 'Second factor', 'Sessions', 'Connected apps'],
} as const

const GUEST = { email: 'guest@example.com', password: 'a long enough password' }
/** What changes something begins with one of these words. A guest may run a query of their own. */
const CHANGING =
  /^(?:new (?!query)|create|add (?!to board)|save|delete (?!profiles)|remove|edit|upload|rename|test|mute|acknowledge|undo|run again)\b/i
/** Editors of records, in which a guest changes no field. */
const EDITORS = /^\/(?:alerts|connect|build\/\w+)\/./

/** What is read of an element of the page. */
interface Control {
  readonly tagName: string
  readonly innerText: string
  readonly href: string
  getAttribute(name: string): string | null
}

const studio = studioOfFile()
let owner: Call
/** Editors and views of records, with the ways up that they show. */
const records: Array<readonly [path: string, ...crumbs: string[]]> = []

before(async () => {
  if (skip !== false) return
  const { service } = studio
  const cookie = await signIn(service, service.ownerEmail, service.ownerPassword)
  owner = caller(service, cookie)
  const put = await new FeedClient(service).putJson([
    { compId: 'boiler', streamId: 'temp', data: 61.5 },
  ])
  assert.equal(put.status, 200)
  const me = (await owner('GET', '/api/login')).body.userUid
  const comp = (await owner('GET', '/api/component')).body.component[0].uid
  const stream = (await owner('GET', `/api/component/${comp}/stream`)).body.stream[0].uid
  const make = async (noun: string, record: object): Promise<string> => {
    const made = await owner('PUT', `/api/${noun}`, { [noun]: record })
    assert.equal(made.status, 200, made.text)
    return made.body[noun].uid
  }
  const unit = await make('unit', { name: 'Millibar', symbol: ' mbar' })
  const runs = { runningUser: { uid: me } }
  const sql = "INSERT OR REPLACE INTO SAMPLE(CID, ID, SAMPLE) SELECT 'boiler', 'temp', 1"
  const procs = [{ timeZoneId: 'UTC', sql }]
  const sink = await make('connector', { id: 'kiln', ...runs, procs })
  const where = { kind: 'POSTGRESQL', host: 'db.example', port: 5432, database: 'd', user: 'u' }
  const connection = await make('connection', { name: 'Plant', ...where, password: 'p' })
  const reads = { connType: 'DB_IMPORT', connection: { uid: connection }, externalSql: 'SELECT 1' }
  const imported = await make('connector', { id: 'nightly', ...runs, procs, ...reads })
  const panel = { kind: 'text', title: 'Read me', x: 0, y: 0, width: 4, height: 3, streams: [] }
  const board = await make('dashboard', { name: 'Hall', panels: [{ ...panel, text: 'Hello' }] })
  const query = await make('query', { id: 'q', name: 'Last', sql: 'SELECT 1' })
  const channel = { name: 'Night shift', kind: 'WEBHOOK', url: 'https://hook.example/x' }
  const channelUid = await make('channel', channel)
  const streams = [{ componentUid: comp, streamUid: stream }]
  const alert = await make('alert', { name: 'Hot', condition: 'value > 80', streams, ...runs })
  records.push(
    [`/build/component/${comp}`, 'Components'],
    [`/build/component/${comp}/stream/${stream}`, 'Components', 'boiler'],
    [`/build/unit/${unit}`, 'Units'],
    [`/connect/${sink}`, 'Connectors'],
    [`/connect/${imported}`, 'Connectors'],
    [`/connect/connections/${connection}`, 'Connections'],
    [`/alerts/${alert}`, 'Alerts'],
    [`/alerts/channels/${channelUid}`, 'Channels'],
    [`/boards/${board}`, 'Boards'],
    [`/query/${query}`, 'Query'],
    [`/c/${comp}`, 'Devices'],
  )
  const org_user = { ...GUEST, firstName: 'G', lastName: 'G', role: 'GUEST' }
  assert.equal((await owner('PUT', '/api/org_user', { org_user })).status, 200)
})

test('each section has the same navigation, and marks the page that is shown', {
  skip,
}, async () => {
  const { page, complaints } = await studio.open('/build')
  for (const [start, labels] of Object.entries(SECTIONS)) {
    await page.goto(`${studio.service.url}${start}`)
    const places = page.getByRole('navigation', { name: / pages$/ })
    await settlesTo(() => places.getByRole('link').allInnerTexts(), [...labels])
    for (const label of labels) {
      await places.getByRole('link', { name: label, exact: true }).click()
      await page.getByRole('heading', { level: 1, name: label, exact: true }).waitFor()
      await settlesTo(() => places.locator('[aria-current="page"]').allInnerTexts(), [label])
    }
    await shootAll(page, `navigation${start.replace('/', '-')}`)
  }
  assert.deepEqual(complaints, [])
})

test('a record leads up to its list, and deletes itself from a menu only', { skip }, async () => {
  const { page } = await studio.open('/')
  for (const [path, ...crumbs] of records) {
    await page.goto(`${studio.service.url}${path}`)
    const way = page.getByRole('navigation', { name: 'Breadcrumbs' })
    await settlesTo(() => way.getByRole('link').allInnerTexts(), crumbs, path)
    await shows(page.getByRole('button', { name: 'Delete', exact: true }), 0)
    if (path.startsWith('/c/')) continue
    await chooseMore(page, 'Delete')
    const dialog = page.getByRole('dialog', { name: /^Delete the / })
    await dialog.waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    // The focus returns to the menu.
    await settlesTo(
      () => page.evaluate<string>('document.activeElement.getAttribute("aria-label")'),
      'More actions',
    )
  }
  await page.goto(`${studio.service.url}${records[1][0]}`)
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('dialog', { name: 'More actions' }).waitFor()
  await shootAll(page, 'navigation-menu')
})

test('the account menu leads to the password, the second factor, the sessions, and the apps', {
  skip,
}, async () => {
  const { page, complaints } = await studio.open('/')
  for (const [label, seen] of [
    ['Profile and password', page.getByLabel('New password')],
    ['Second factor', page.getByRole('button', { name: 'Turn on' })],
    ['Sessions', page.getByRole('button', { name: 'End this session' })],
    ['Connected apps', page.getByText('No connected apps.')],
  ] as const) {
    await page.getByRole('button', { name: 'Account' }).click()
    const dialog = page.getByRole('dialog', { name: 'Account' })
    await dialog.getByRole('link', { name: label }).waitFor()
    await assertAccessible(page)
    if (label === 'Sessions') await shootAll(page, 'navigation-account')
    await dialog.getByRole('link', { name: label }).click()
    await dialog.waitFor({ state: 'detached' })
    await seen.waitFor()
  }
  await page.keyboard.press('ControlOrMeta+k')
  await page.keyboard.type('second')
  await page.getByRole('option', { name: 'Second factor' }).waitFor()
  assert.deepEqual(complaints, [])
})

test('a guest is offered nothing on any page that a guest cannot use', { skip }, async () => {
  const { page, complaints } = await studio.open('/', { as: GUEST })
  const seen = new Set(['/', ...records.map(([path]) => path)])
  // One of a kind is enough of what every organization has.
  const kinds = new Set<string>()
  const offered: Record<string, readonly string[]> = {}
  for (const path of seen) {
    const answers = page.waitForEvent('requestfinished')
    await page.goto(`${studio.service.url}${path}`)
    await answers
    await page.getByRole('main').getByRole('heading').first().waitFor()
    const usable = 'button:enabled, a[href], input:enabled, select:enabled, textarea:enabled'
    const controls = await page
      .getByRole('main')
      .locator(`:is(${usable}, [contenteditable=true]:not([aria-readonly=true])):visible`)
      .evaluateAll((all) =>
        (all as unknown as Control[]).map((one) => ({
          isField: !['A', 'BUTTON'].includes(one.tagName),
          name: one.innerText.trim() || (one.getAttribute('aria-label') ?? ''),
        })),
      )
    const wrong = controls.filter(
      ({ name, isField }) => CHANGING.test(name) || (isField && EDITORS.test(path)),
    )
    if (wrong.length > 0) offered[path] = wrong.map(({ name }) => name)
    const links = await page
      .locator('a[href^="/"]')
      .evaluateAll((all) => (all as unknown as Control[]).map(({ href }) => new URL(href).pathname))
    for (const link of links) {
      const kind = link.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, ':uid')
      if (/^\/(?:help|docs|api)\b/.test(link) || kinds.has(kind)) continue
      kinds.add(kind)
      seen.add(link)
    }
  }
  assert.ok(seen.size > 20, `only ${seen.size} pages were found`)
  assert.deepEqual(offered, {})
  assert.deepEqual(complaints, [])
})
