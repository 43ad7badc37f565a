import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { startService } from '../support/service.ts'

test('promtool finds nothing wrong, where it is installed', async (t) => {
  const check = spawnSync('promtool', ['check', 'rules', 'deploy/prometheus-rules.yml'], {
    encoding: 'utf8',
  })
  if (check.error !== undefined) return t.skip('promtool is not installed')
  assert.equal(check.status, 0, check.stdout + check.stderr)
  const service = await startService()
  t.after(() => service.close())
  const text = await (await fetch(`${service.url}/metrics`)).text()
  const own = text.split('\n').filter((line) => /^(?:# \w+ )?weir_/.test(line))
  const input = `${own.join('\n')}\n`
  const metrics = spawnSync('promtool', ['check', 'metrics'], { input, encoding: 'utf8' })
  assert.equal(metrics.status, 0, metrics.stdout + metrics.stderr)
})
