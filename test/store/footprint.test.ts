/** What a service takes on disk that is hardly used. */
import assert from 'node:assert/strict'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { startServiceOn } from '../support/service-on.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const FEED_KEY = '11111111-2222-3333-4444-555555555555'
const MIB = 1024 * 1024
const SIZE_MAX = 4 * MIB

function bytesOnDisk(folder: string): number {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const blocks = names.map(
    (name) => statSync(join(folder, name), { throwIfNoEntry: false })?.blocks,
  )
  return blocks.reduce<number>((sum, count) => sum + (count ?? 0), 0) * 512
}

test('an empty data folder takes less than 4 MB, and after a hundred puts too', async (t) => {
  const folder = temporaryFolder()
  const service = await startServiceOn(folder, { WEIR_FEED_KEY: FEED_KEY })
  t.after(service.close)
  const empty = bytesOnDisk(folder)
  assert.ok(empty < SIZE_MAX, `${empty} bytes when empty`)
  for (let at = 0; at < 100; at += 1) {
    const query = `compId=device-${at % 10}&temperature=${at}&api_key=${FEED_KEY}`
    const answer = await fetch(`${service.url}/api/feed?${query}`, { method: 'PUT' })
    assert.equal(answer.status, 200)
  }
  const used = bytesOnDisk(folder)
  t.diagnostic(`${empty} bytes when empty, ${used} after a hundred puts`)
  assert.ok(used < SIZE_MAX, `${used} bytes after a hundred puts`)
  await service.close()
  const stopped = bytesOnDisk(folder)
  assert.ok(stopped < SIZE_MAX, `${stopped} bytes when stopped`)
})
