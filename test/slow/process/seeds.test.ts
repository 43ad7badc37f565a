import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'

const SUPPORT = 'test/support/fast-check.ts'

test('every property takes its seed from the support of tests', () => {
  const files = globSync(['src/**/*.ts', 'test/**/*.ts', 'tools/**/*.ts', 'bench/**/*.ts'])
  const importing = files.filter((file) =>
    /^import .*'fast-check'$/m.test(readFileSync(file, 'utf8')),
  )
  assert.deepEqual(importing, [SUPPORT], `import { fc } from ${SUPPORT}`)
})

test('seeds of properties are the same with CI=true, as asked with WEIR_TEST_SEED, and else fresh', () => {
  const script = `
    import { fc } from './${SUPPORT}'
    const values = []
    const { seed } = fc.check(fc.property(fc.integer(), (value) => void values.push(value)))
    console.log(JSON.stringify({ seed, values }))`
  const run = (env: Record<string, string>) => {
    const args = ['--input-type=module', '--eval', script]
    const { CI: _, WEIR_TEST_SEED: __, ...rest } = process.env
    const { stdout, stderr } = spawnSync(process.execPath, args, { env: { ...rest, ...env } })
    return JSON.parse(String(stdout) || `{"error":${JSON.stringify(String(stderr))}}`)
  }
  const deciding = run({ CI: 'true' })
  assert.equal(typeof deciding.seed, 'number', JSON.stringify(deciding))
  assert.deepEqual(run({ CI: 'true' }), deciding)
  assert.equal(run({ CI: 'true', WEIR_TEST_SEED: '-12' }).seed, -12)
  assert.equal(run({ WEIR_TEST_SEED: '567' }).seed, 567)
  assert.notEqual(run({}).seed, run({}).seed)
})
