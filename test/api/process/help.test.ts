import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { test } from 'node:test'
import { serviceOfFile } from '../../support/service-of-file.ts'

const service = serviceOfFile()

/** The address of a page of docs/. */
const addressOf = (page: string): string =>
  `/help/${page.replace(/^docs\//, '').replace(/\.md$/, '')}`

async function open(path: string) {
  const answer = await fetch(service.url + path)
  return { answer, html: await answer.text() }
}

test('GET /help serves every page of docs/, and every link in it leads to a page', async () => {
  const pages = [
    '/help',
    '/help/',
    '/help/ARCHITECTURE',
    ...globSync('docs/**/*.md').map(addressOf),
  ]
  assert.ok(pages.length > 30)
  const targets = new Map<string, string>()
  const anchors = new Map<string, string>()
  for (const path of pages) {
    const { answer, html } = await open(path)
    assert.equal(answer.status, 200, path)
    assert.match(answer.headers.get('content-type') ?? '', /^text\/html/)
    assert.match(html, /<h1 /, path)
    anchors.set(path, html)
    for (const [, target] of html.matchAll(/ (?:href|src)="([^"]*)"/g)) {
      if (/^(?:https?|data):/.test(target)) continue
      const url = new URL(target, service.url + path)
      targets.set(url.pathname + url.hash, path)
    }
  }
  assert.ok(targets.has('/help/images/studio.png'), 'pictures are shown')
  for (const [target, from] of targets) {
    const [path, anchor] = target.split('#')
    const { answer, html } = await open(path)
    assert.equal(answer.status, 200, `${from} links to ${path}`)
    if (anchor === undefined) continue
    assert.ok(html.includes(` id="${decodeURIComponent(anchor)}"`), `${from} links to ${target}`)
  }
})

test('GET /help runs nothing, and opens no other file', async () => {
  const { answer } = await open('/help/api')
  assert.match(answer.headers.get('content-security-policy') ?? '', /default-src 'none'/)
  assert.doesNotMatch(answer.headers.get('content-security-policy') ?? '', /script|unsafe/)
  const others = [
    'nothing',
    'README.md',
    '../package.json',
    '%2e%2e/package',
    '..%2fLICENSE',
    'images/',
  ]
  for (const other of others) {
    assert.equal((await open(`/help/${other}`)).answer.status, 404, other)
  }
})
