/** The step before `npm start`, on copies of the tree. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
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
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** A copy of what the step needs; without the packages that only builders have when `isTrimmed`. */
function copyTree(t: TestContext, { isTrimmed }: { readonly isTrimmed: boolean }): string {
  const tree = mkdtempSync(join(tmpdir(), 'weir-tree-'))
  t.after(() => rmSync(tree, { recursive: true, force: true }))
  cpSync('tools', join(tree, 'tools'), { recursive: true })
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
  const tree = copyTree(t, { isTrimmed: false })
  // Two starts at once: one builds, the other waits for it.
  const both = await Promise.all([prestart(tree), prestart(tree)])
  assert.match(both.join(''), /Building the studio/)
  const page = readFileSync(pageOf(tree), 'utf8')
  const [, script = ''] = /src="(\/assets\/[^"]+\.js)"/.exec(page) ?? []
  for (const form of ['', '.br', '.gz'])
    assert.ok(existsSync(join(tree, 'studio/dist', `${script}${form}`)), `${script}${form}`)
  assert.doesNotMatch(page, /<script(?![^>]*\bsrc=)|<style|\bstyle=|https?:/)
  assert.equal(await prestart(tree), '')
  appendFileSync(join(tree, 'studio/src/style/base.css'), '\n.other-rule { color: red; }\n')
  assert.match(await prestart(tree), /Building the studio/)
  assert.equal(await prestart(tree), '')
})

test('a start goes on without a studio where Vite is missing, or a source is broken', async (t) => {
  const trimmed = copyTree(t, { isTrimmed: true })
  assert.match(await prestart(trimmed), /vite is not installed\. Serving no studio/)
  const broken = copyTree(t, { isTrimmed: false })
  await prestart(broken)
  const built = readFileSync(pageOf(broken), 'utf8')
  writeFileSync(
    join(broken, 'studio/src/main.tsx'),
    'import { nothing } from "./nowhere.ts"\nnothing(',
  )
  assert.match(await prestart(broken), /cannot be built:[\s\S]*Serving the one built before/)
  assert.equal(readFileSync(pageOf(broken), 'utf8'), built)
})
