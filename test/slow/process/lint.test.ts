import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { startService } from '../../support/service.ts'

const run = promisify(execFile)

/** The linter stays on this machine: it reports nobody of its use and asks for no newer version. */
const AT_HOME = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
const LINTER = resolve('node_modules/@redocly/cli/bin/cli.js')

let folder: string
let description: { servers: object[] }
before(async () => {
  description = await descriptionOf({})
  folder = mkdtempSync(join(tmpdir(), 'weir-openapi-'))
})
after(() => rmSync(folder, { recursive: true, force: true }))

async function lint(
  ...descriptions: readonly object[]
): Promise<{ readonly text: string; readonly ok: boolean }> {
  const files = descriptions.map((description, at) => {
    const file = join(folder, `openapi-${at}.json`)
    writeFileSync(file, JSON.stringify(description))
    return file
  })
  const options = ['--extends', 'recommended-strict', '--format', 'stylish']
  try {
    const { stdout, stderr } = await run(process.execPath, [LINTER, 'lint', ...files, ...options], {
      cwd: folder,
      env: { PATH: process.env.PATH, HOME: folder, NO_COLOR: '1', ...AT_HOME },
    })
    return { text: stdout + stderr, ok: true }
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
    return { text: stdout + stderr, ok: false }
  }
}

/** The description of a service with these settings. */
async function descriptionOf(settings: Record<string, string>): Promise<{ servers: object[] }> {
  const service = await startService({ settings })
  try {
    return JSON.parse(JSON.stringify(service.app.server.describe()))
  } finally {
    await service.close()
  }
}

test('/openapi.json is without errors and warnings of redocly lint, also with a public address, which it names', async () => {
  const named = await descriptionOf({ WEIR_PUBLIC_URL: 'https://weir.example/iot' })
  assert.equal((named.servers[0] as { url: string }).url, 'https://weir.example/iot')
  const { text, ok } = await lint(description, named)
  assert.ok(ok, text)
  assert.match(text, /are valid/)
})

test('the linter finds what is wrong', async () => {
  const { text, ok } = await lint({ ...description, servers: [{ url: 'https://weir.example/' }] })
  assert.ok(!ok, text)
})
