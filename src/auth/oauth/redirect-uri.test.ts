import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isRegisteredRedirect, redirectHost, redirectUriFault, withAnswer } from './redirect-uri.ts'

test('redirectUriFault() lets codes go to https, loopback addresses and apps', () => {
  for (const uri of [
    'https://client.example/cb',
    'https://client.example:8443/cb?tenant=7',
    'http://localhost:3000/cb',
    'http://127.0.0.1/cb',
    'http://127.8.0.1:9999',
    'http://[::1]:1/cb',
    'com.example.app:/oauth',
    'myapp://done',
    'HTTPS://client.example/cb',
    'HTTP://LOCALHOST:3000/cb',
    'MyApp:/done',
  ]) {
    assert.equal(redirectUriFault(uri), undefined, uri)
  }
})

test('redirectUriFault() says why an address may not have a code', () => {
  const check = (uri: string, expected: RegExp) =>
    assert.match(redirectUriFault(uri) ?? '', expected, uri)
  check('http://client.example/cb', /must use https/)
  check('http://127.0.0.1.evil.example/', /must use https/)
  check('http://localhost.evil.example/', /must use https/)
  check('//client.example/cb', /absolute/)
  check('/cb', /absolute/)
  check('', /absolute/)
  check('https://client.example/cb#here', /fragment/)
  check('https://client.example/cb#', /fragment/)
  check('https://good.example@evil.example/', /user name/)
  check('https://client.example/a b', /Percent-encode/)
  check('https://client.example\\@evil.example', /Percent-encode/)
  check('https://client.example/\u202egpj', /Percent-encode/)
  check('https://client.example/\r\nSet-Cookie:x', /Percent-encode/)
  check(`https://client.example/${'x'.repeat(2_048)}`, /2048/)
  for (const scheme of [
    'javascript',
    'JavaScript',
    'data',
    'vbscript',
    'file',
    'blob',
    'about',
    'ftp',
    'mailto',
    'ms-msdt',
    'MS-MSDT',
    'ms-word',
    'ms-settings',
    'microsoft-edge',
    'search-ms',
    'search',

    'shell',
    'intent',
    'itms-services',
    'chrome-extension',
    'moz-extension',
    'x-apple.systempreferences',
    'view-source',
    'jar',
    'ldap',
    'ssh',
    'smb',
    'ws',
    'vscode',
    'web+app',
    'filesystem',
    'hcp',
    'apt',
    'snap',
    'flatpak+https',
    'x-man-page',
    'x-help-script',
    'itmss',
    'iterm2',
    'putty',
    'docker-desktop',
    'x-github-client',
    'sourcetree',
    'vmware-view',
    'receiver',
    'anydesk',
    'msteams',
    'otpauth',
    'otpauth-migration',
    'winscp',
    'winscp-sftp',
    'X-Anything',
    'a+b',
  ]) {
    check(`${scheme}:/x`, /must not use/)
  }
})

test('isRegisteredRedirect() compares the whole text, but for the port on a loopback', () => {
  const registered = ['https://client.example/cb', 'http://127.0.0.1:8000/cb', 'http://[::1]/cb']
  const check = (uri: string, expected: boolean) =>
    assert.equal(isRegisteredRedirect(uri, registered), expected, uri)
  check('https://client.example/cb', true)
  check('https://client.example/cb/', false)
  check('https://client.example/CB', false)
  check('https://client.example:443/cb', false)
  check('https://client.example/cb?x=1', false)
  check('https://CLIENT.example/cb', false)
  check('http://127.0.0.1:51234/cb', true)
  check('http://127.0.0.1/cb', true)
  check('http://127.0.0.1:51234/other', false)
  check('http://127.0.0.2:51234/cb', false)
  check('http://localhost:8000/cb', false)
  check('http://[::1]:7/cb', true)
})

test('redirectHost() names what a person can judge', () => {
  assert.equal(redirectHost('https://client.example:8443/cb?x'), 'client.example:8443')
  assert.equal(redirectHost('com.example.app:/cb'), 'com.example.app:')
})

test('withAnswer() adds to the query an address has', () => {
  const answer = { code: 'a b', state: '&=' }
  assert.equal(
    withAnswer('https://c.example/cb', answer),
    'https://c.example/cb?code=a+b&state=%26%3D',
  )
  assert.equal(
    withAnswer('https://c.example/cb?t=1', { code: 'x' }),
    'https://c.example/cb?t=1&code=x',
  )
  assert.equal(withAnswer('https://c.example/cb?', { code: 'x' }), 'https://c.example/cb?code=x')
})
