import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { startService } from '../../support/service.ts'

const run = promisify(execFile)

/** The linter stays on this machine: it tells nobody of its use and asks for no newer version. */
const AT_HOME = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
const LINTER = resolve('node_modules/@redocly/cli/bin/cli.js')

let folder: string
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'weir-openapi-'))
})
after(() => rmSync(folder, { recursive: true, force: true }))

async function lint(
  description: unknown,
): Promise<{ readonly text: string; readonly ok: boolean }> {
  const file = join(folder, 'openapi.json')
  writeFileSync(file, JSON.stringify(description))
  const options = ['--extends', 'recommended-strict', '--format', 'stylish']
  try {
    const { stdout, stderr } = await run(process.execPath, [LINTER, 'lint', file, ...options], {
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
    return JSON.parse(JSON.stringify(service.app.server.app.swagger()))
  } finally {
    await service.close()
  }
}

test('/openapi.json is without errors and warnings of redocly lint', async () => {
  const { text, ok } = await lint(await descriptionOf({}))
  assert.ok(ok, text)
  assert.match(text, /is valid/)
})

test('so it is with a public address, which it names', async () => {
  const description = await descriptionOf({ WEIR_PUBLIC_URL: 'https://weir.example/iot' })
  assert.equal((description.servers[0] as { url: string }).url, 'https://weir.example/iot')
  const { text, ok } = await lint(description)
  assert.ok(ok, text)
})

test('the linter finds what is wrong', async () => {
  const description = await descriptionOf({})
  const { text, ok } = await lint({ ...description, servers: [{ url: 'https://weir.example/' }] })
  assert.ok(!ok, text)
})
