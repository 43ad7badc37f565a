import { openApp, type WeirApp } from '../../src/app.ts'
import { createLog, readConfig } from '../../src/base/index.ts'
import { describeAnswersBy } from './described-answers.ts'
import { LEAST_PASSWORD_COST } from './service.ts'

/** A service over data that are there. */
export interface ServiceOn {
  readonly url: string
  readonly app: WeirApp
  /** Stops the service; called again, it waits for the same stop. */
  close(): Promise<void>
}

/** Starts a service on a data folder that a test has made, on a free port and without rate limits. */
export async function startServiceOn(
  dataDir: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<ServiceOn> {
  const given = { WEIR_PORT: '0', WEIR_DATA_DIR: dataDir, WEIR_RATE_LIMITS: 'off', ...settings }
  const options = { log: createLog({ level: 'silent' }), passwordCost: LEAST_PASSWORD_COST }
  const app = await openApp(readConfig(given), options)
  describeAnswersBy(() => app.server.describe())
  let closed: Promise<void> | undefined
  const close = () => {
    closed ??= app.close()
    return closed
  }
  return { app, url: await app.listen(), close }
}
