// Alone: it changes flags of V8, and measures its process.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { ProcessMetrics } from './process-metrics.ts'

/** The values by name and labels; each name with its help and type. */
function read(text: string): Map<string, number> {
  const values = new Map<string, number>()
  let described = ''
  for (const line of text.trimEnd().split('\n')) {
    const help = /^# HELP (\w+) \S/.exec(line)
    const type = /^# TYPE (\w+) (?:gauge|counter|histogram)$/.exec(line)
    if (help !== null) described = help[1]
    else if (type !== null) assert.equal(type[1], described)
    else {
      const [, name, labels = '', value] =
        /^(\w+)(\{[^}]*\})? (\S+)$/.exec(line) ?? assert.fail(line)
      assert.ok(name.startsWith(described), line)
      assert.ok(Number.isFinite(Number(value)), line)
      assert.ok(!values.has(name + labels), line)
      values.set(name + labels, Number(value))
    }
  }
  return values
}

test('a process exposes CPU time, memory, files, lag, and heap in the Prometheus format', async (t) => {
  const metrics = new ProcessMetrics()
  t.after(() => metrics.close())
  const values = read(await metrics.text())
  const { user, system } = process.cpuUsage()
  const cpu = values.get('process_cpu_seconds_total') ?? 0
  assert.ok(cpu > 0 && cpu <= (user + system) / 1e6)
  assert.ok((values.get('process_resident_memory_bytes') ?? 0) > 10_000_000)
  assert.ok((values.get('nodejs_heap_size_used_bytes') ?? 0) > 1_000_000)
  assert.ok((values.get('nodejs_heap_space_size_used_bytes{space="old"}') ?? 0) > 1_000_000)
  assert.ok((values.get('nodejs_eventloop_lag_seconds') ?? -1) >= 0)
  const started = values.get('process_start_time_seconds') ?? 0
  assert.ok(started <= Date.now() / 1_000 + 1 && started > Date.now() / 1_000 - 86_400)
  const [major] = process.versions.node.split('.')
  assert.ok(
    [...values.keys()].some((name) => name.startsWith(`nodejs_version_info{version="v${major}.`)),
  )
  if (process.platform !== 'linux') return
  assert.ok((values.get('process_open_fds') ?? 0) > 2)
  assert.ok((values.get('process_max_fds') ?? 0) > (values.get('process_open_fds') ?? 0))
  assert.ok(
    (values.get('process_virtual_memory_bytes') ?? 0) > (values.get('process_heap_bytes') ?? 1e18),
  )
})

test('every collection of garbage counts, by its kind', async (t) => {
  const metrics = new ProcessMetrics()
  t.after(() => metrics.close())
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const count = 'nodejs_gc_duration_seconds_count{kind="major"}'
  const before = read(await metrics.text()).get(count) ?? assert.fail('not told')
  for (let round = 0; round < 3; round++) collect()
  let after = before
  // Node calls observers some iterations later.
  while (after < before + 3) after = read(await metrics.text()).get(count) ?? 0
})
