import assert from 'node:assert/strict'
import { test } from 'node:test'
import { browserSkip } from '../../support/browser.ts'
import { answerPage, openPage, startCallbackServer } from '../../support/oauth-page.ts'
import { registerClient, startOAuthService } from '../../support/oauth-service.ts'
import { eventually, settlesLike, settlesTo, shows } from '../../support/settle.ts'

const skip = browserSkip()
const FOCUSED = 'document.activeElement.id'

function hashQuery(given: Record<string, string>): string {
  return `#signinoauth/?${new URLSearchParams({ response_type: 'code', ...given })}`
}

test('the whole flow in a browser: hash parameters, sign-in, consent, code, tokens, a call', {
  skip,
}, async () => {
  await using service = await startOAuthService()
  await using client = await startCallbackServer()
  await using tab = await openPage()
  const { page } = tab
  const { email } = service.owner
  const { redirectUri: redirect_uri } = client
  await page.goto(
    `${service.url}/alt/${hashQuery({ client_id: 'report tool', redirect_uri, state: 'a&b', email })}`,
  )
  await page.getByRole('heading', { name: 'Sign in to Weir' }).waitFor()
  await settlesTo(() => page.getByLabel('Email').inputValue(), email)
  await settlesTo(() => page.evaluate(FOCUSED), 'password')
  await page.keyboard.type(service.owner.password)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Allow “report tool” to use your account?' }).waitFor()
  await settlesTo(() => page.evaluate(FOCUSED), 'consent-title')
  await eventually(async () => {
    const text = (await page.locator('#consent').textContent()) ?? ''
    assert.ok(text.includes(new URL(redirect_uri).host), 'the receiver is named')
    assert.ok(text.includes('My organization') && text.includes('Do everything that you can do'))
    assert.ok(text.includes('Your administrators have not registered this app'))
  })
  await page.getByRole('button', { name: 'Allow' }).click()
  const { searchParams } = await client.next()
  assert.equal(searchParams.get('state'), 'a&b')
  assert.equal(searchParams.get('iss'), service.url)
  const { status, body } = await service.token({
    grant_type: 'authorization_code',
    client_id: 'report tool',
    redirect_uri,
    code: searchParams.get('code') ?? '',
  })
  assert.equal(status, 200)
  const bearer = { authorization: `Bearer ${body.access_token}` }
  const grants = await service.send('GET', '/api/oauth_grant', undefined, bearer)
  assert.equal(grants.body.oauth_grant[0].clientName, 'report tool')
  assert.deepEqual(tab.complaints, [])
})

test('a wrong password is shown at the focused field, and the next try succeeds', {
  skip,
}, async () => {
  await using service = await startOAuthService()
  await using client = await startCallbackServer()
  await using tab = await openPage()
  const { page } = tab
  const query = hashQuery({ client_id: 'c1', redirect_uri: client.redirectUri })
  await page.goto(`${service.url}/alt/${query}`)
  await page.getByLabel('Email').fill(service.owner.email)
  await page.getByLabel('Password', { exact: true }).fill('wrong')
  await page.keyboard.press('Enter')
  const alert = page.getByRole('alert').filter({ hasText: 'password is wrong' })
  await alert.waitFor()
  await settlesTo(() => page.evaluate(FOCUSED), 'password')
  await settlesTo(() => page.getByLabel('Password', { exact: true }).inputValue(), '')
  await answerPage(page, service.owner, 'Deny')
  const { searchParams } = await client.next()
  assert.equal(searchParams.get('error'), 'access_denied')
  assert.deepEqual(tab.complaints, [])
})

test('parameters also come from the query and from a POSTed form', { skip }, async () => {
  await using service = await startOAuthService()
  await using client = await startCallbackServer()
  await using tab = await openPage()
  const { page } = tab
  const { redirectUri: redirect_uri } = client
  const given = { response_type: 'code', client_id: 'c1', redirect_uri, state: '"><b>x' }
  await page.goto(`${service.url}/alt/?${new URLSearchParams(given)}`)
  await answerPage(page, service.owner)
  assert.equal((await client.next()).searchParams.get('state'), given.state)
  await page.getByRole('heading', { name: 'Back' }).waitFor()
  const inputs = Object.entries(given).map(
    ([name, value]) => `<input name="${name}" value='${value}'>`,
  )
  await page.goto(new URL('/form', redirect_uri).href)
  await page.setContent(
    `<form method="post" action="${service.url}/alt/#signinoauth/">${inputs.join('')}<button>Go</button></form>`,
  )
  await page.getByRole('button', { name: 'Go' }).click()
  await answerPage(page, service.owner)
  assert.equal((await client.next()).searchParams.get('state'), given.state)
  assert.deepEqual(tab.complaints, [])
})

test('a redirect_uri that may not be used is shown, and the browser stays', { skip }, async () => {
  await using service = await startOAuthService()
  await using tab = await openPage()
  const { page } = tab
  const refused = ['http://evil.example/cb', 'javascript:alert(1)//', '/cb', 'ms-msdt:/id']
  for (const redirect_uri of [...refused, 'SEARCH-MS:query=x', 'data:text/html,x']) {
    await page.goto('about:blank')
    await page.goto(`${service.url}/alt/${hashQuery({ client_id: 'c1', redirect_uri })}`)
    await page.getByRole('heading', { name: 'This request cannot be used' }).waitFor()
    await settlesLike(
      async () => (await page.getByRole('alert').textContent()) ?? '',
      /redirect_uri/,
    )
    await settlesTo(() => new URL(page.url()).origin, service.url)
    await shows(page.getByRole('link'), 0)
  }
  assert.deepEqual(tab.complaints, [])
})

test('a mistake of an unregistered client is shown with a way back, and the browser stays', {
  skip,
}, async () => {
  await using service = await startOAuthService()
  await using client = await startCallbackServer()
  await using tab = await openPage()
  const { page } = tab
  const left: string[] = []
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== service.url) left.push(request.url())
  })
  const check = async (redirect_uri: string, host: string) => {
    const given = { response_type: 'token', client_id: 'c1', redirect_uri }
    await page.goto(`${service.url}/alt/?${new URLSearchParams(given)}`)
    const link = page.getByRole('link', { name: `Go back to ${host}` })
    await link.waitFor()
    const href = (await link.getAttribute('href')) ?? ''
    assert.equal(new URL(href).searchParams.get('error'), 'unsupported_response_type')
    assert.deepEqual(left, [])
    return link
  }
  await check('https://c.example/cb', 'c.example')
  await check('HTTPS://evil.test/', 'evil.test')
  await check('com.example.app:/cb', 'com.example.app:')
  const { host } = new URL(client.redirectUri)
  const link = await check(client.redirectUri.replace('http:', 'HTTP:'), host)
  await link.click()
  assert.equal((await client.next()).searchParams.get('error'), 'unsupported_response_type')
  assert.deepEqual(tab.complaints, [])
})

test('a client of the organization is shown by its name, logo and rights', { skip }, async () => {
  const svg =
    '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><rect width="8" height="8"/></svg>'
  const logo = `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`
  await using service = await startOAuthService({
    settings: {
      WEIR_OAUTH: 'strict',
      WEIR_BRANDS: `{"localhost":{"name":"Acme","logo":"${logo}"}}`,
    },
  })
  await using client = await startCallbackServer()
  await using tab = await openPage({ colorScheme: 'dark', viewport: { width: 360, height: 740 } })
  const { page } = tab
  const { clientId: client_id } = await registerClient(service, {
    name: 'Dashboard <i>',
    logo,
    redirectUris: ['http://127.0.0.1/cb'],
  })
  const given = { client_id, redirect_uri: client.redirectUri, scope: 'feed:read feed:write' }
  const branded = service.url.replace('127.0.0.1', 'localhost')
  await page.goto(`${branded}/alt/${hashQuery(given)}`)
  await page.getByRole('heading', { name: 'Sign in to Acme' }).waitFor()
  // The policy lets the logo in.
  const isShown = 'document.querySelector(".brand img")?.naturalWidth > 0'
  await settlesTo(() => page.evaluate<boolean>(isShown), true)
  await page.getByLabel('Email').fill(service.owner.email)
  await page.getByLabel('Password', { exact: true }).fill(service.owner.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Allow “Dashboard <i>” to use your account?' }).waitFor()
  await settlesTo(
    () => page.getByRole('listitem').allInnerTexts(),
    [
      'Read samples, statistics, files, and properties',
      'Send samples and files, change properties, delete samples',
    ],
  )
  await page.locator('#unregistered').waitFor({ state: 'hidden' })
  const width = await page.evaluate<number>('document.documentElement.scrollWidth')
  assert.ok(width <= 360, `nothing is wider than a phone: ${width}`)
  await page.getByRole('button', { name: 'Allow' }).click()
  assert.equal((await client.next()).searchParams.get('iss'), branded)
  assert.deepEqual(tab.complaints, [])
})

test('no other page may show this one in a frame', { skip }, async () => {
  await using service = await startOAuthService()
  await using client = await startCallbackServer()
  await using tab = await openPage()
  const { page } = tab
  await page.goto(new URL('/frame', client.redirectUri).href)
  await page.setContent(`<iframe src="${service.url}/alt/"></iframe>`)
  await eventually(() =>
    assert.ok(
      tab.complaints.some((text) => /frame-ancestors/.test(text)),
      'nothing blocked it',
    ),
  )
})
