import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { browserSkip } from '../../support/browser.ts'
import { nginxSkip, startNginx } from '../../support/nginx.ts'
import { keepablePort } from '../../support/port.ts'
import { settlesTo } from '../../support/settle.ts'
import { assertAccessible, openStudio, type StudioTest, shoot } from '../../support/studio.ts'

const skip = browserSkip() || nginxSkip()
let studio: StudioTest
let weirPort: number
let proxyPort: number

before(async () => {
  if (skip !== false) return
  proxyPort = await keepablePort()
  weirPort = await keepablePort()
  const WEIR_PUBLIC_URL = `http://127.0.0.1:${proxyPort}/weir/`
  studio = await openStudio({ settings: { WEIR_PUBLIC_URL, WEIR_PORT: String(weirPort) } })
  const put = await fetch(`http://127.0.0.1:${weirPort}/api/feed?compId=boiler&temp=70`, {
    method: 'PUT',
    headers: { 'X-Api-Key': studio.service.feedKey },
  })
  assert.equal(put.status, 200, await put.text())
})
after(() => studio?.[Symbol.asyncDispose]())

const PROXY = 'proxy_http_version 1.1; proxy_set_header Host $http_host; proxy_buffering off;'
const WAYS = [
  {
    name: 'passes the path on',
    location: (to: string) => `location /weir/ { proxy_pass ${to}; ${PROXY} }`,
  },
  {
    name: 'takes the path off',
    location: (to: string) => `location /weir/ { proxy_pass ${to}/; ${PROXY} }`,
  },
]

for (const { name, location } of WAYS) {
  test(`studio, API, OAuth, and docs work below a path, behind an nginx that ${name}`, {
    skip,
  }, async (t) => {
    const site = `server { listen 127.0.0.1:${proxyPort}; ${location(`http://127.0.0.1:${weirPort}`)} }`
    await startNginx(t, site, proxyPort)
    const base = `http://127.0.0.1:${proxyPort}/weir`
    const headers = { 'X-Api-Key': studio.service.feedKey }
    const values = await fetch(`${base}/api/comp/boiler/last_value`, { headers })
    assert.equal(values.status, 200)
    const page1 = await fetch(`${base}/api/comp/boiler/stream/temp/feed?limit=1`, { headers })
    assert.equal(page1.status, 200)
    const metadata = await fetch(`${base}/.well-known/oauth-authorization-server`)
    const { issuer, token_endpoint: tokens } = (await metadata.json()) as Record<string, string>
    assert.deepEqual([issuer, tokens], [base, `${base}/api/oauth_access_token`])
    const description = (await (await fetch(`${base}/openapi.json`)).json()) as {
      servers: { url: string }[]
    }
    assert.equal(description.servers[0].url, base)
    for (const path of ['/docs', '/help', '/help/api', '/alt/', '/alt/authorize.css', '/healthz']) {
      assert.equal((await fetch(`${base}${path}`)).status, 200, path)
    }
    const { page, complaints, hosts } = await studio.open('/')
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    await settlesTo(async () => new URL(page.url()).pathname, '/weir/')
    await page.getByRole('link', { name: /^boiler/ }).click()
    await page.waitForURL(`${base}/c/*`)
    await page.getByRole('link', { name: /^temp/ }).click()
    await page.waitForURL(`${base}/c/*/*`)
    await page.getByRole('heading', { name: 'temp' }).waitFor()
    await page.reload()
    await page.getByRole('heading', { name: 'temp' }).waitFor()
    await page.getByRole('link', { name: 'Build' }).click()
    await page.waitForURL(`${base}/build**`)
    await assertAccessible(page)
    await shoot(page, `prefix-${name.split(' ')[0]}`)
    await page.getByRole('button', { name: 'Help' }).click()
    const help = page.getByRole('link', { name: 'Documentation' })
    await settlesTo(() => help.getAttribute('href'), '/weir/help')
    assert.deepEqual(complaints, [])
    assert.ok(hosts.has(`http://127.0.0.1:${proxyPort}`))
  })
}

test('without the proxy, the service is at its root, and below the path', { skip }, async () => {
  const direct = `http://127.0.0.1:${weirPort}`
  for (const path of ['/healthz', '/weir/healthz', '/weir', '/weir/', '/', '/c/boiler']) {
    assert.equal((await fetch(`${direct}${path}`)).status, 200, path)
  }
  assert.equal((await fetch(`${direct}/weird/healthz`)).status, 404)
  const page = await (await fetch(`${direct}/c/boiler`)).text()
  const [, script = ''] = /<script type="module"[^>]* src="([^"]+)"/.exec(page) ?? []
  assert.match(script, /^\/weir\/assets\//)
  assert.equal((await fetch(`${direct}${script}`)).status, 200)
})
