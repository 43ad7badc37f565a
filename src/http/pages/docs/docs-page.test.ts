import assert from 'node:assert/strict'
import { test } from 'node:test'
import { docsPolicy, renderDocsPage } from './docs-page.ts'

test('docsPolicy() lets the page call this address and the public one, and upgrades nothing', () => {
  assert.match(docsPolicy(undefined), /connect-src 'self';/)
  assert.match(docsPolicy('https://weir.example'), /connect-src 'self' https:\/\/weir\.example;/)
  assert.doesNotMatch(docsPolicy(undefined), /upgrade-insecure-requests|script-src[^;]*unsafe/)
})

test('renderDocsPage() finds its files from where the browser is', () => {
  assert.match(renderDocsPage('docs'), /src="docs\/static\/swagger-ui-bundle\.js"/)
  assert.match(renderDocsPage('.'), /src="\.\/static\/swagger-ui-bundle\.js"/)
})
