/** Every example for a shell in README.md and docs/ is run, unless it says why not. */

import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { COMMAND_FILE } from '../../support/program.ts'
import { startService } from '../../support/service.ts'

const run = promisify(execFile)

/** A fence of a page: what it says, and why it is not run where it is not. */
interface Example {
  readonly text: string
  readonly line: number
  readonly notRun: string | undefined
}

const FENCE = /(?:<!-- not run: (?<notRun>[^>]+) -->\n)?```sh\n(?<text>[\s\S]*?)```/g
/** A command in one line that reports its answer behind it. */
const TOLD = /^(?<command>curl .*\S) +# (?<answer>\S.*)$/

function examplesOf(page: string): Example[] {
  const source = readFileSync(page, 'utf8')
  return [...source.matchAll(FENCE)].map(({ groups, index }) => ({
    text: groups?.text ?? '',
    line: source.slice(0, index).split('\n').length,
    notRun: groups?.notRun,
  }))
}

/** The examples as one script: every call must succeed, and where an answer is reported it must be that. */
function scriptOf(examples: readonly Example[]): string {
  const lines = examples.flatMap(({ text, line }) => [
    `echo "example at line ${line}" >&2`,
    ...text.split('\n').map(checked),
  ])
  return ['set -euo pipefail', CURL, WEIR, ...lines].join('\n')
}

/** The command of an installed package. */
const WEIR = `weir() { '${process.execPath}' '${COMMAND_FILE}' "$@"; }`

const CURL = `curl() { command curl -sS --fail-with-body --max-time 300 "$@"; }
answer_is() { if [ "$1" != "$2" ]; then echo "answered $1, and not $2" >&2; exit 1; fi; }`

function checked(line: string): string {
  const { command, answer } = TOLD.exec(line)?.groups ?? {}
  if (command === undefined) return line
  return `answer_is "$(${command})" '${answer.replaceAll("'", "'\\''")}'`
}

const pages = globSync(['README.md', 'docs/**/*.md']).sort()

test('the pages have examples, and those that are not run say why', () => {
  const all = pages.flatMap(examplesOf)
  assert.ok(all.length > 10, `${all.length} examples`)
  const calls = all.filter(({ text }) => text.includes('curl '))
  assert.deepEqual(
    calls.filter(({ notRun }) => notRun !== undefined),
    [],
    'a call can be made',
  )
})

/** Only a machine on which `npm test` may not install it is without; there CI=true is a failure. */
const isWithoutCurl =
  spawnSync('curl', ['--version']).error !== undefined && process.env.CI !== 'true'

for (const page of pages) {
  const examples = examplesOf(page).filter(({ notRun }) => notRun === undefined)
  if (examples.length === 0) continue
  test(`the examples of ${page} work unchanged`, {
    skip: isWithoutCurl && 'curl is not installed',
  }, async (t) => {
    const service = await startService()
    const folder = mkdtempSync(join(tmpdir(), 'weir-docs-'))
    t.after(async () => {
      await service.close()
      rmSync(folder, { recursive: true, force: true })
    })
    const script = join(folder, 'examples.sh')
    writeFileSync(script, scriptOf(examples))
    // Commands of npm work in this repository, everything else where it leaves nothing behind.
    const usesNpm = examples.some(({ text }) => text.includes('npm '))
    await run('bash', [script], {
      cwd: usesNpm ? process.cwd() : folder,
      env: {
        PATH: process.env.PATH,
        HOME: folder,
        WEIR_DATA_DIR: service.dataDir,
        WEIR: service.url,
        KEY: service.feedKey,
        EMAIL: service.ownerEmail,
        PASSWORD: service.ownerPassword,
      },
    })
  })
}
