import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { temporaryFolder } from '../../support/temporary-folder.ts'

test('a million streams with one sample each fit in a process of 1 GiB', () => {
  const folder = temporaryFolder()
  const script = fileURLToPath(new URL('../../store/million-streams.ts', import.meta.url))
  const rssBytes = Number(execFileSync(process.execPath, [script, folder], { encoding: 'utf8' }))
  assert.ok(rssBytes > 0 && rssBytes < 2 ** 30, `${rssBytes} bytes`)
})
