/**
 * `npm run demo`: a greenhouse with a month of history and live values. Without settings it runs a service of its
 * own over data/demo; with WEIR_URL, WEIR_EMAIL and WEIR_PASSWORD it fills the organization of that account.
 */
import { join } from 'node:path'
import { openApp } from '../../src/app.ts'
import { createLog, readConfig } from '../../src/base/index.ts'
import { DemoClient, type DemoPlace } from './demo-client.ts'
import { startLive } from './live-greenhouse.ts'
import { seedGreenhouse } from './seed-greenhouse.ts'

const FOLDER = join(import.meta.dirname, '..', '..', 'data', 'demo')
const EMAIL = 'ada@greenhouse.example'
const PASSWORD = 'tomatoes like it warm'

async function openPlace(): Promise<DemoPlace & { close(): Promise<void> }> {
  const { WEIR_URL: url, WEIR_EMAIL: email, WEIR_PASSWORD: password } = process.env
  if (url !== undefined && email !== undefined && password !== undefined)
    return { url, email, password, close: async () => {} }
  const config = readConfig({
    ...{
      WEIR_DATA_DIR: FOLDER,
      WEIR_RATE_LIMITS: 'off',
      WEIR_PORT: process.env.WEIR_PORT ?? '8080',
    },
    ...{ WEIR_OWNER_EMAIL: EMAIL, WEIR_OWNER_PASSWORD: PASSWORD },
  })
  const app = await openApp(config, { log: createLog({ level: 'warn' }) })
  return { url: await app.listen(), email: EMAIL, password: PASSWORD, close: () => app.close() }
}

const place = await openPlace()
const client = await DemoClient.signIn(place)
console.log('Planting the greenhouse: a month of history takes some seconds …')
await seedGreenhouse(client, { nowMs: Date.now() })
const stop = startLive(client, (problem) => console.error(problem))
console.log(`The greenhouse is at ${place.url}
  e-mail    ${place.email}
  password  ${place.password === PASSWORD ? PASSWORD : '(yours)'}
Live values come every two seconds until you stop this with Ctrl+C.`)

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, async () => {
    stop()
    await place.close()
    process.exit(0)
  })
}
