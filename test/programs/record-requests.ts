/** Runs programs against services of their own, and writes what they send for `npm test`, which sends it again. */
import { writeFileSync } from 'node:fs'
import { after, type TestContext } from 'node:test'
import { type Recording, startRecordingProxy } from '../support/recording-proxy.ts'
import { startService } from '../support/service.ts'
import { type StoredSamples, storedSamples } from '../support/stored-samples.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

/** The component that the examples of the docs write to. */
export const COMPONENT = 'greenhouse'

/** Where a program writes, and a folder for its files. */
export interface Target {
  readonly port: number
  readonly feedKey: string
  readonly folder: string
  /** What is stored so far. */
  readonly stored: () => Promise<StoredSamples>
}

/** Runs a program; returns what it has stored in the component. */
type StoredBy = (
  t: TestContext,
  program: string,
  runProgram: (target: Target) => Promise<unknown>,
) => Promise<StoredSamples>

/** Keeps the requests of all programs of a file of tests; `WEIR_RECORD=1` writes them. */
export function recordTo(file: string): StoredBy {
  const recordings: Recording[] = []
  after(() => {
    if (process.env.WEIR_RECORD !== '1') return
    writeFileSync(file, recordings.map((one) => `${JSON.stringify(one)}\n`).join(''))
  })
  return async (t, program, runProgram) => {
    const service = await startService()
    t.after(() => service.close())
    const proxy = await startRecordingProxy(service)
    t.after(() => proxy.close())
    const { port, requests } = proxy
    const read = () => storedSamples(service, COMPONENT)
    await runProgram({ port, feedKey: service.feedKey, folder: temporaryFolder(), stored: read })
    const stored = await read()
    recordings.push({ program, requests: [...requests], stored })
    return stored
  }
}
