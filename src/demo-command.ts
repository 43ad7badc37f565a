/**
 * `weir demo`: a greenhouse with a month of history and live values. Without settings it runs a service of its
 * own over data/demo, below the current folder; with WEIR_URL, WEIR_EMAIL and WEIR_PASSWORD it fills the organization of that account.
 */
import { resolve } from 'node:path'
import { DemoClient, seedGreenhouse, startLive } from './demo/index.ts'
import { openDemoService } from './demo-service.ts'
import { findStudioProblem } from './http/index.ts'
import { exitWith } from './serve.ts'
import { FolderInUse } from './store/embedded/index.ts'

const FOLDER = resolve('data', 'demo')
const EMAIL = 'ada@greenhouse.example'
const PASSWORD = 'tomatoes like it warm'
/** The code of sysexits.h for a failure that may pass; `npm start` has it for a folder in use. */
const EXIT_IN_USE = 75

async function openPlace(): ReturnType<typeof openDemoService> {
  const { WEIR_URL: url, WEIR_EMAIL: email, WEIR_PASSWORD: password, WEIR_PORT: port } = process.env
  if (url !== undefined && email !== undefined && password !== undefined)
    return { url, email, password, close: async () => {} }
  const studio = findStudioProblem()
  if (studio !== undefined) console.error(studio.message)
  return await openDemoService({ dataDir: FOLDER, email: EMAIL, password: PASSWORD, port })
}

function refuseStart(error: unknown): never {
  if (!(error instanceof FolderInUse)) return exitWith(error, 'Cannot start the demonstration')
  console.error(`A demonstration already runs on ${FOLDER}. Use that one, or stop it first.`)
  process.exit(EXIT_IN_USE)
}

/** Runs the demonstration until it is stopped. */
export async function runDemo(): Promise<void> {
  const place = await openPlace().catch(refuseStart)
  const client = await DemoClient.signIn(place)
  console.log('Planting the greenhouse: a month of history takes some seconds …')
  const boardUid = await seedGreenhouse(client, { nowMs: Date.now() })
  const stop = startLive(client, (problem) => console.error(problem))
  console.log(`The greenhouse is at ${place.url}/boards/${boardUid}
  email     ${place.email}
  password  ${place.password === PASSWORD ? PASSWORD : '(yours)'}
Live values come every two seconds until you stop this with Ctrl+C.`)

  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, async () => {
      stop()
      await place.close()
      process.exit(0)
    })
  }
}
