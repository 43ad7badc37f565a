/** The step before `npm start`, on copies of the tree. */
import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  appendFileSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, before, type TestContext, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { childEnv } from '../../support/child-env.ts'

const run = promisify(execFile)

/** A studio that is built fast, and long enough to be compressed; image.test.ts builds the real one. */
const SMALL = `document.title = '${'small '.repeat(300)}'\n`

/** A tree that the step has built, and what two starts at once have printed. */
let built: { readonly tree: string; readonly output: string }

before(async () => {
  const tree = makeTree({ isTrimmed: false })
  writeFileSync(join(tree, 'studio/src/main.tsx'), SMALL)
  // Two starts at once: one builds, the other waits for it.
  const both = await Promise.all([prestart(tree), prestart(tree)])
  built = { tree, output: both.join('') }
})
after(() => rmSync(built.tree, { recursive: true, force: true }))

function copyTree(t: TestContext, { isTrimmed }: { readonly isTrimmed: boolean }): string {
  const tree = makeTree({ isTrimmed })
  t.after(() => rmSync(tree, { recursive: true, force: true }))
  if (!isTrimmed) copyBuild(tree)
  return tree
}

/** Copies the build and the source that was built. It matches other trees: a stamp compares contents. */
function copyBuild(tree: string): void {
  copyFileSync(join(built.tree, 'studio/src/main.tsx'), join(tree, 'studio/src/main.tsx'))
  cpSync(join(built.tree, 'studio/dist'), join(tree, 'studio/dist'), { recursive: true })
}

/** A copy of what the step needs; without the packages that only builders have when `isTrimmed`. */
function makeTree({ isTrimmed }: { readonly isTrimmed: boolean }): string {
  const tree = mkdtempSync(join(tmpdir(), 'weir-tree-'))
  for (const name of ['src', 'tools']) cpSync(name, join(tree, name), { recursive: true })
  cpSync('studio', join(tree, 'studio'), {
    recursive: true,
    filter: (path) => !/studio\/(?:dist|\.building)|generated/.test(path),
  })
  for (const name of ['package.json', 'package-lock.json', 'tsconfig.json'])
    copyFileSync(name, join(tree, name))
  if (isTrimmed) mkdirSync(join(tree, 'node_modules'))
  else symlinkSync(resolve('node_modules'), join(tree, 'node_modules'))
  return tree
}

async function prestart(tree: string): Promise<string> {
  const { stderr } = await run(process.execPath, [join(tree, 'tools/prestart.mjs')], { cwd: tree })
  return stderr
}

const pageOf = (tree: string) => join(tree, 'studio/dist/index.html')

test('the step before a start builds what is missing or old, once, and nothing else', async (t) => {
  const { tree, output } = built
  assert.match(output, /Building the studio/)
  const page = readFileSync(pageOf(tree), 'utf8')
  const [, script = ''] = /src="(\/assets\/[^"]+\.js)"/.exec(page) ?? []
  for (const form of ['', '.br', '.gz'])
    assert.ok(existsSync(join(tree, 'studio/dist', `${script}${form}`)), `${script}${form}`)
  assert.doesNotMatch(page, /<script(?![^>]*\bsrc=)|<style|\bstyle=|https?:/)
  assert.equal(await prestart(tree), '')
  // npm rewrites its lock file when it removes packages, and copies have other times.
  utimesSync(join(tree, 'package-lock.json'), 1, 1)
  assert.equal(await prestart(tree), '')
  const changed = copyTree(t, { isTrimmed: false })
  assert.equal(await prestart(changed), '')
  appendFileSync(join(changed, 'studio/src/main.tsx'), 'document.title = "changed"\n')
  assert.match(await prestart(changed), /Building the studio/)
  assert.notEqual(readFileSync(pageOf(changed), 'utf8'), page)
  assert.equal(await prestart(changed), '')
})

test('a source that is broken does not prevent a start, and the build stays', async (t) => {
  const tree = copyTree(t, { isTrimmed: false })
  const page = readFileSync(pageOf(tree), 'utf8')
  writeFileSync(
    join(tree, 'studio/src/main.tsx'),
    'import { nothing } from "./nowhere.ts"\nnothing(',
  )
  assert.match(await prestart(tree), /The studio cannot be built:/)
  assert.equal(readFileSync(pageOf(tree), 'utf8'), page)
})

test('without a builder nothing is built', async (t) => {
  const tree = copyTree(t, { isTrimmed: true })
  assert.equal(await prestart(tree), '')
  assert.equal(existsSync(pageOf(tree)), false)
})

/** Starts the service of a tree on an empty data folder; returns its output up to the first-start text. */
async function firstStart(t: TestContext, tree: string): Promise<string> {
  const data = mkdtempSync(join(tmpdir(), 'weir-tree-data-'))
  const env = { ...childEnv, WEIR_DATA_DIR: data, WEIR_PORT: '0' }
  const child = spawn(process.execPath, ['src/main.ts'], { cwd: tree, env })
  t.after(() => rmSync(data, { recursive: true, force: true }))
  let output = ''
  const { promise, resolve: isComplete, reject } = Promise.withResolvers<void>()
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (part: Buffer) => {
      output += part
      if (/last_value/.test(output) && /"listening"/.test(output)) isComplete()
    })
  }
  const ended = once(child, 'close')
  ended.then(() => reject(new Error(`The service ended: ${output}`)))
  try {
    await promise
  } finally {
    child.kill('SIGTERM')
    await ended
  }
  return output
}

const COMMAND = /npm ci && npm run build && npm prune --omit=dev/

test('the service says when its studio is missing or of other sources, and how to build it', async (t) => {
  const tree = copyTree(t, { isTrimmed: false })
  rmSync(join(tree, 'studio/dist'), { recursive: true })
  const missing = await firstStart(t, tree)
  assert.match(missing, /"level":"warn".*The studio is not built: /)
  assert.match(missing, /The studio is not built yet\..*\n {2}npm ci && /)
  assert.doesNotMatch(missing, /Open the address/)

  copyBuild(tree)
  const matching = await firstStart(t, tree)
  assert.match(matching, /Open the address in a browser/)
  assert.doesNotMatch(matching, /The studio|npm ci/)

  appendFileSync(join(tree, 'studio/src/style/base.css'), '\n.other-rule { color: red; }\n')
  const outdated = await firstStart(t, tree)
  const [warning = ''] = /.*The studio was built from other sources.*/.exec(outdated) ?? []
  assert.match(warning, /"level":"warn"/)
  assert.match(warning, COMMAND)
})

test('an installation without sources compares versions', async (t) => {
  const tree = copyTree(t, { isTrimmed: false })
  rmSync(join(tree, 'studio/src'), { recursive: true })
  // What a start logs, as above: this module of the tree looks at the tree.
  const build: typeof import('../../../src/http/pages/studio/studio-build.ts') = await import(
    pathToFileURL(join(tree, 'src/http/pages/studio/studio-build.ts')).href
  )
  assert.equal(build.findStudioProblem(), undefined)
  const manifest = readFileSync(join(tree, 'package.json'), 'utf8')
  writeFileSync(
    join(tree, 'package.json'),
    manifest.replace(/"version": "[^"]+"/, '"version": "99.0.0"'),
  )
  assert.match(build.findStudioProblem()?.message ?? '', /The studio was built from other sources/)
})
