import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { readDocumented } from '../support/documented.ts'
import { promClient } from '../support/promql-client.ts'
import { startService } from '../support/service.ts'
import { run } from './run-program.ts'

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

test('promtool reads Weir as docs/grafana.md says, where it is installed', async (t) => {
  if (spawnSync('promtool', ['--version']).error !== undefined) {
    return t.skip('promtool is not installed')
  }
  const service = await startService()
  t.after(() => service.close())
  const now = Date.now()
  const labels = { __name__: 'temp', component: 'boiler' }
  const samples = [2, 1, 0].map((minutes): [number, number] => [20, now - minutes * 60_000])
  await promClient(service).write({ labels, samples })
  const example = readDocumented('docs/grafana.md', { heading: 'promtool', language: 'sh' })
    .replaceAll('weir.example:8080', `127.0.0.1:${service.port}`)
    .replaceAll('YOUR_API_KEY', service.feedKey)
  const printed = await run(['sh', '-ec', example])
  const [instant, range] = printed.split('\n')
  assert.match(instant, /^temp\{component="boiler"\} => 20 @\[/)
  assert.match(range, /^\{\} =>$/)
  assert.match(printed, /^20 @\[/m)
  assert.match(printed, /^boiler$/m)
})
