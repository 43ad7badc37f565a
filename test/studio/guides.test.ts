/** The guides that the help of each page leads to. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { guideOf } from '../../studio/src/app/guides.ts'

const PATHS = [
  ['/', 'studio'],
  ['/c', 'studio#devices'],
  ['/c/boiler/temp', 'studio#devices'],
  ['/view', 'studio#charts'],
  ['/boards/1', 'studio#boards'],
  ['/alerts', 'alerts'],
  ['/alerts/channels/1', 'alerts'],
  ['/query', 'gs-sql'],
  ['/connect', 'webhooks'],
  ['/connect/send', 'getting-started'],
  ['/connect/refused', 'influxdb'],
  ['/connect/connections/1', 'imports'],
  ['/build/component/1', 'studio#build'],
  ['/build/cycle', 'statistics'],
  ['/build/unit/1', 'api#unit'],
  ['/admin', 'people'],
  ['/admin/apps', 'oauth'],
  ['/admin/health', 'operations'],
  ['/account/sessions', 'people'],
] as const

test('every page has a guide, which is in the documentation', () => {
  for (const [path, guide] of PATHS) {
    assert.equal(guideOf(path).address, `/help/${guide}`, path)
    const [page, heading] = guide.split('#')
    const text = readFileSync(`docs/${page}.md`, 'utf8')
    if (heading === undefined) continue
    assert.match(text, new RegExp(`^#+ ${heading}$`, 'im'), path)
  }
})
