import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

test('a million streams with one sample each fit in a process of 1 GiB', (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'weir-million-'))
  context.after(() => rmSync(folder, { recursive: true }))
  const script = fileURLToPath(new URL('../../store/million-streams.ts', import.meta.url))
  const rssBytes = Number(execFileSync(process.execPath, [script, folder], { encoding: 'utf8' }))
  assert.ok(rssBytes > 0 && rssBytes < 2 ** 30, `${rssBytes} bytes`)
})
