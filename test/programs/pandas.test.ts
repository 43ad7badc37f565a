/** The example of docs/grafana.md for Python and pandas. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { readDocumented } from '../support/documented.ts'
import { promClient } from '../support/promql-client.ts'
import { startService } from '../support/service.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { obtain, run } from './run-program.ts'

const PACKAGES = ['pandas==2.3.3', 'requests==2.32.5']
const HOUR_MS = 3_600_000

const home = resolve('node_modules/.cache/weir-programs/pandas-2.3.3')
// The mark of a finished installation is written last.
const done = join(home, 'installed')
const skip = await obtain(done, [
  ['python3', '-m', 'venv', home],
  [join(home, 'bin/pip'), 'install', '--quiet', ...PACKAGES],
  ['touch', done],
])
test('pandas reads hourly means by the query API', { skip }, async (t) => {
  const service = await startService()
  t.after(() => service.close())
  const hour = Math.floor(Date.now() / HOUR_MS) * HOUR_MS
  const labels = { __name__: 'temp', component: 'boiler' }
  // Two samples in each of the last five hours: 10 and 30.
  const samples = Array.from({ length: 10 }, (_, at): [number, number] => [
    at % 2 === 0 ? 10 : 30,
    hour - 5 * HOUR_MS + at * (HOUR_MS / 2) + 60_000,
  ])
  await promClient(service).write({ labels, samples })
  const example = readDocumented('docs/grafana.md', {
    heading: 'Python and pandas',
    language: 'python',
  })
    .replaceAll('weir.example:8080', `127.0.0.1:${service.port}`)
    .replaceAll('your feed key', service.feedKey)
  const file = join(temporaryFolder(), 'example.py')
  writeFileSync(file, example)
  const printed = await run([join(home, 'bin/python3'), file])
  assert.match(printed, /boiler/)
  assert.match(printed, /count +5\.0/)
  assert.match(printed, /mean +20\.0/)
})
