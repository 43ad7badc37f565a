/**
 * Clients that programs of others generate from /openapi.json: each compiles and makes five calls to
 * a running service. A generator that cannot be obtained is skipped, and the reason is its name.
 */
import assert from 'node:assert/strict'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { type TestContext, test } from 'node:test'
import { startService } from '../support/service.ts'
import { obtain, run, whyMissing } from './run-program.ts'

const PYTHON_GENERATOR = '0.29.1'
const GO_GENERATOR = 'v2.8.2'
const GO_RUNTIME = 'v1.8.0'
const HEY_GENERATOR = '0.95.0'
const HEY_TYPESCRIPT = '5.9.3'

const CACHE = resolve('node_modules/.cache/weir-programs')
const pythonHome = join(CACHE, `python-${PYTHON_GENERATOR}`)
const goHome = join(CACHE, `go-${GO_GENERATOR}`)
const heyHome = join(CACHE, `hey-${HEY_GENERATOR}`)

const MADE = 'five calls made\n'

/** A service, and a folder that holds its description; both are gone at the end of the test. */
async function startHome(t: TestContext) {
  const service = await startService()
  const folder = mkdtempSync(join(tmpdir(), 'weir-programs-'))
  t.after(async () => {
    await service.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const answer = await fetch(`${service.url}/openapi.json`)
  writeFileSync(join(folder, 'openapi.json'), await answer.text())
  return { folder, env: { WEIR: service.url, KEY: service.feedKey } }
}

const python = await obtain(join(pythonHome, 'bin/openapi-python-client'), [
  ['python3', '-m', 'venv', pythonHome],
  [join(pythonHome, 'bin/pip'), 'install', '--quiet', `openapi-python-client==${PYTHON_GENERATOR}`],
])
test('a Python client of openapi-python-client makes five calls', { skip: python }, async (t) => {
  const { folder, env } = await startHome(t)
  const bin = join(pythonHome, 'bin')
  const home = join(folder, 'python')
  mkdirSync(home)
  const path = { PATH: `${bin}${delimiter}${process.env.PATH}` }
  const source = ['--path', join(folder, 'openapi.json'), '--fail-on-warning', '--meta', 'none']
  const target = ['--output-path', join(home, 'weir_client')]
  await run([join(bin, 'openapi-python-client'), 'generate', ...source, ...target], {
    env: path,
  })
  const client = [join(bin, 'python3'), resolve('test/programs/client.py')]
  assert.equal(await run(client, { env: { PYTHONPATH: home, ...env } }), MADE)
})

/** The compiler is needed even when the generator is installed. */
const compiler = await whyMissing(['go', 'version'])
const generator = await obtain(
  join(goHome, 'oapi-codegen'),
  [['go', 'install', `github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@${GO_GENERATOR}`]],
  { GOBIN: goHome },
)
const go = compiler || generator
test('a Go client of oapi-codegen compiles and makes five calls', { skip: go }, async (t) => {
  const { folder, env } = await startHome(t)
  const home = join(folder, 'go')
  mkdirSync(join(home, 'weir'), { recursive: true })
  const program = [join(goHome, 'oapi-codegen'), '-generate', 'types,client', '-package', 'weir']
  await run([...program, '-o', join(home, 'weir/weir.go'), join(folder, 'openapi.json')])
  const required = `require github.com/oapi-codegen/runtime ${GO_RUNTIME}`
  writeFileSync(join(home, 'go.mod'), `module example.test/weir\n\ngo 1.24\n\n${required}\n`)
  copyFileSync('test/programs/client.go.txt', join(home, 'main.go'))
  await run(['go', 'mod', 'tidy'], { cwd: home })
  await run(['go', 'build', '-o', 'client', '.'], { cwd: home })
  assert.equal(await run([join(home, 'client')], { env }), MADE)
})

const heyProgram = join(heyHome, 'node_modules/@hey-api/openapi-ts/bin/run.js')
mkdirSync(heyHome, { recursive: true })
const heyPackages = [`@hey-api/openapi-ts@${HEY_GENERATOR}`, `typescript@${HEY_TYPESCRIPT}`]
const hey = await obtain(heyProgram, [
  ['npm', 'install', '--no-save', '--prefix', heyHome, ...heyPackages],
])
test('a TypeScript client of hey-api compiles and makes five calls', { skip: hey }, async (t) => {
  const { folder, env } = await startHome(t)
  const home = join(folder, 'hey')
  mkdirSync(home)
  const source = ['-i', join(folder, 'openapi.json'), '-o', join(home, 'weir')]
  await run([process.execPath, heyProgram, ...source], { cwd: heyHome })
  copyFileSync('test/programs/client-hey.txt', join(home, 'client.ts'))
  const options = {
    target: 'es2022',
    module: 'commonjs',
    moduleResolution: 'node10',
    strict: true,
    lib: ['es2022', 'dom', 'dom.iterable'],
    types: ['node'],
    outDir: 'built',
    typeRoots: [resolve('node_modules/@types')],
  }
  const config = { compilerOptions: options, files: ['client.ts'] }
  writeFileSync(join(home, 'tsconfig.json'), JSON.stringify(config))
  writeFileSync(join(home, 'package.json'), '{"type":"commonjs"}')
  const typescript = join(heyHome, 'node_modules/typescript/bin/tsc')
  await run([process.execPath, typescript, '-p', home])
  assert.ok(existsSync(join(home, 'built/client.js')))
  const client = [process.execPath, join(home, 'built/client.js')]
  assert.equal(await run(client, { env }), MADE)
})
