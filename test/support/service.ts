import { cpSync, lstatSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AppOptions, openApp, type WeirApp } from '../../src/app.ts'
import { type Clock, createLog, readConfig } from '../../src/base/index.ts'
import { openSampleStore } from '../../src/store/embedded/index.ts'
import { describeAnswersBy } from './described-answers.ts'

/** A service of its own for a test: real store in a temporary folder, real HTTP on a free port. */
export interface Service {
  readonly url: string
  readonly port: number
  readonly app: WeirApp
  readonly dataDir: string
  readonly orgUid: string
  readonly ownerEmail: string
  readonly ownerPassword: string
  readonly feedKey: string
  /** Every line the service has logged, at level debug. */
  readonly logLines: string[]
  /** Stops the service and removes its folder. */
  close(): Promise<void>
  /** Stops the service and starts it again on the same folder; `url` and `port` change. */
  restart(settings?: Readonly<Record<string, string>>): Promise<void>
  /** Copies the folder as a kill at the call would leave it. The next restartKilled() starts from this copy. */
  freeze(): void
  /** Starts the service again on its folder as it was at the call, or when it was frozen before: as after a kill. */
  restartKilled(beforeStart?: () => void): Promise<void>
  /** Stops the service, brings all it holds from the journal into samples.db if it has them, and starts it again. */
  sealAndRestart(): Promise<void>
}

/** The least that Argon2 takes: a run of all tests hashes thousands of passwords. */
export const LEAST_PASSWORD_COST = { memory: 8, passes: 1, parallelism: 1 }

/** What a test may choose. */
export interface ServiceOptions
  extends Pick<AppOptions, 'wrapCatalog' | 'wrapSamples' | 'isFrontOff'> {
  readonly clock?: Clock
  /** Settings by name, such as WEIR_RATE_LIMITS. */
  readonly settings?: Readonly<Record<string, string>>
}

/** Where services keep what is not in their folder. */
export interface ServicePlace {
  readonly settings: Readonly<Record<string, string>>
  /** Gives the place back when its service has stopped. */
  release(): Promise<void>
}

let takePlace: (() => Promise<ServicePlace>) | undefined

/** Has all services that this process starts from now on keep their data in places such as a cluster. */
export function keepServicesIn(take: () => Promise<ServicePlace>): void {
  takePlace = take
}

/** Why a test cannot run when services keep their data in a cluster, for its `skip` option: docs/cluster.md lists these. */
export function onCluster(why: string): string | false {
  return takePlace === undefined ? false : why
}

const COPIES_MAX = 1_000

/** Copies a folder as it is at one moment. Threads may write to it, so a copy is made again until none of them has. */
function copyStill(from: string, to: string): void {
  const look = () =>
    readdirSync(from, { recursive: true, encoding: 'utf8' })
      .sort()
      .map((name) => {
        const { size, mtimeMs } = lstatSync(join(from, name))
        return `${name} ${size} ${mtimeMs}`
      })
      .join()
  // Sockets of the running service are no part of its data.
  const filter = (path: string) => !lstatSync(path).isSocket()
  for (let count = 0; count < COPIES_MAX; count += 1) {
    try {
      const before = look()
      rmSync(to, { recursive: true, force: true })
      cpSync(from, to, { recursive: true, filter })
      if (look() === before) return
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
  }
  throw new Error(`${from} does not hold still`)
}

/** Starts a service; rate limits are off, and SQL may take its time on a slow machine, unless the test sets them. */
export async function startService(options: ServiceOptions = {}): Promise<Service> {
  const dataDir = mkdtempSync(join(tmpdir(), 'weir-service-'))
  const logLines: string[] = []
  const log = createLog({ level: 'debug', destination: { write: (line) => logLines.push(line) } })
  const place = await takePlace?.()
  const open = async (settings: Readonly<Record<string, string>>) => {
    const config = readConfig({
      WEIR_PORT: '0',
      WEIR_DATA_DIR: dataDir,
      WEIR_RATE_LIMITS: 'off',
      WEIR_SQL_SECONDS: '120',
      WEIR_OWNER_PASSWORD: 'correct horse battery',
      ...place?.settings,
      ...settings,
    })
    const app = await openApp(config, { ...options, log, passwordCost: LEAST_PASSWORD_COST })
    return { app, url: await app.listen() }
  }
  let { app, url } = await open(options.settings ?? {})
  describeAnswersBy(() => app.server.describe())
  const restart = async (settings: Readonly<Record<string, string>> = {}) => {
    await app.close()
    const opened = await open({ ...options.settings, ...settings })
    app = opened.app
    url = opened.url
  }
  let frozen: string | undefined
  const freeze = () => {
    if (frozen !== undefined) return
    frozen = mkdtempSync(join(tmpdir(), 'weir-killed-'))
    copyStill(dataDir, frozen)
  }
  const created = app.firstStart
  if (created === undefined) throw new Error('the first start of an empty folder told nothing')
  return {
    get url() {
      return url
    },
    get port() {
      return Number(new URL(url).port)
    },
    get app() {
      return app
    },
    dataDir,
    logLines,
    feedKey: created.feedKey,
    orgUid: created.organization.uid,
    ownerEmail: created.owner.email,
    ownerPassword: created.password ?? '',
    close: async () => {
      await app.close()
      await place?.release()
      rmSync(dataDir, { recursive: true, force: true })
      if (frozen !== undefined) rmSync(frozen, { recursive: true, force: true })
    },
    restart,
    freeze,
    restartKilled: async (beforeStart = () => {}) => {
      freeze()
      const copy = frozen ?? ''
      frozen = undefined
      await app.close()
      rmSync(dataDir, { recursive: true })
      cpSync(copy, dataDir, { recursive: true })
      rmSync(copy, { recursive: true })
      beforeStart()
      const opened = await open(options.settings ?? {})
      app = opened.app
      url = opened.url
    },
    sealAndRestart: async () => {
      if (place !== undefined) return await restart()
      await app.close()
      const store = await openSampleStore({ folder: dataDir })
      await store.sealAll()
      await store.close()
      await restart()
    },
  }
}
