/** Home Assistant with ten sensors, configured as in docs/integrations.md, while the service restarts. */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { childEnv } from '../support/child-env.ts'
import { startChildService } from '../support/child-service.ts'
import { keepablePort } from '../support/port.ts'
import { comesTrue } from '../support/settle.ts'
import { storedSamples } from '../support/stored-samples.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { runWeir } from '../support/weir-command.ts'
import { exampleFor, hass, obtainHomeAssistant } from './writer-programs.ts'

const SENSORS = Array.from({ length: 10 }, (_, at) => `reading_${at}`)

const skip = await obtainHomeAssistant()
for (const [at, version] of ['version 1', 'version 2'].entries()) {
  test(`Home Assistant, ${version}: ten sensors arrive`, { skip }, async (t) => {
    const dataDir = temporaryFolder()
    const port = await keepablePort()
    const settings = { WEIR_PORT: String(port), WEIR_RATE_LIMITS: 'off' }
    let service = await startChildService(dataDir, settings)
    t.after(() => service.kill())
    const { out } = await runWeir(dataDir, 'key', 'add', 'home')
    const feedKey = /secret +(\S+)/.exec(out)?.[1] ?? assert.fail(out)
    const reader = { url: `http://127.0.0.1:${port}`, feedKey }
    const readingsOf = async (sensor: string) => {
      const { value = [] } = await storedSamples(reader, `sensor.${sensor}`)
      return value.map(([, data]) => data as number)
    }
    const child = await startHass(t, { port, feedKey }, at)
    const hasMore = (count: number) =>
      comesTrue(async () => {
        const counts = await Promise.all(SENSORS.map(async (one) => (await readingsOf(one)).length))
        return counts.every((one) => one >= count)
      })
    await hasMore(5)
    if (at === 0) {
      // With version 2, Home Assistant does not repeat writes.
      const before = (await readingsOf(SENSORS[0])).length
      await service.kill()
      service = await startChildService(dataDir, settings)
      await hasMore(before + 30)
    }
    const gone = once(child, 'exit')
    child.kill('SIGINT')
    await gone
    for (const sensor of SENSORS) {
      const readings = await readingsOf(sensor)
      const [first] = readings
      // Each reading is one more than the one before.
      assert.deepEqual(
        readings,
        Array.from(readings, (_, place) => first + place),
      )
    }
    const shown = await storedSamples(reader, 'sensor.reading_0')
    assert.deepEqual(Object.keys(shown), ['friendly_name_str', 'note_str', 'value'])
    assert.equal(shown.note_str.length, 1, 'texts that do not change are stored once')
  })
}

/** Starts Home Assistant with sensors that count the seconds. */
async function startHass(
  t: TestContext,
  target: { port: number; feedKey: string },
  at: number,
): Promise<ChildProcess> {
  const folder = join(temporaryFolder(), 'config')
  mkdirSync(folder)
  const sensors = SENSORS.map(
    (name) => `      - name: ${name.replace('_', ' ')}
        unit_of_measurement: W
        state: "{{ (this.state | int(0)) + 1 }}"
        attributes:
          note: unchanged
`,
  )
  const template = `template:\n  - trigger:\n      - platform: time_pattern\n        seconds: "/1"\n    sensor:\n`
  const http = `http:\n  server_host: 127.0.0.1\n  server_port: ${await keepablePort()}\n`
  const example = exampleFor(target, { heading: 'Home Assistant', language: 'yaml', at })
  writeFileSync(
    join(folder, 'configuration.yaml'),
    `${example}${http}${template}${sensors.join('')}`,
  )
  writeFileSync(join(folder, 'secrets.yaml'), `weir_key: ${target.feedKey}\n`)
  const child = spawn(hass, ['-c', folder], {
    env: childEnv,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  t.after(() => child.kill('SIGKILL'))
  return child
}
