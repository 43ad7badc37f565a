/** `weir backup` and `weir restore`: the copying is done here, beside the service that may run. */
import { existsSync, realpathSync } from 'node:fs'
import { dirname, join, resolve, sep } from 'node:path'
import { NO_BACKUP } from './assembly/app-settings.ts'
import { Refusal, readConfig, refuse, systemClock, version } from './base/index.ts'
import { type ParsedLine, printResult, sendCommand, UsageMistake } from './cli/index.ts'
import {
  type BackupAnswer,
  checkFolder,
  lockFolder,
  type RunningBackup,
  restoreBackup,
  writeBackup,
} from './store/embedded/index.ts'

/** The service forgets a backup of which it hears nothing for half a minute. */
const REPORT_EVERY_MS = 5_000

const PROGRESS_EVERY_MS = 1_000

/** The exit code that a shell uses for a process ended by a signal. */
const SIGNAL_EXITS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const

const KEY_LEFT_OUT =
  'The backup does not include secret.key. Keep a copy of that file, or use --with-key. Without it, API keys ' +
  'work, but their secrets cannot be shown, and passwords of connections and second factors must be set again'
const KEY_IN =
  'The backup includes secret.key. Anyone who can read it can read the secrets of all API keys, connections, and second factors'
const KEY_RESTORED = 'secret.key was restored from the backup'

/** Copies the data folder to the target that the line names. */
export async function runBackup({ options, isJson }: ParsedLine): Promise<void> {
  const { dataDir, store } = readConfig(process.env)
  const target = options.target?.[0]
  if (target === undefined || target === '') {
    throw new UsageMistake('backup needs one folder or archive to write to')
  }
  if (store !== 'embedded') refuse('conflict', { what: NO_BACKUP })
  if (!existsSync(dataDir)) {
    refuse('not_found', { what: `Cannot find the data folder ${dataDir}. Set WEIR_DATA_DIR` })
  }
  requireOutside(target, dataDir)
  process.umask(0o077)
  const withKey = options['with-key'] !== undefined
  const time = new Date(systemClock.now()).toISOString()
  const order = {
    folder: dataDir,
    target,
    withKey,
    version,
    time,
    onProgress: reportProgress('copied'),
  }
  const begun = await ask(dataDir, 'backup begin')
  const { files, bytes } =
    begun === undefined ? await backUpStopped(order) : await backUpRunning(order, begun.id)
  const key = withKey ? KEY_IN : KEY_LEFT_OUT
  print({ backup: resolve(target), time, files, bytes, key }, isJson)
}

type BackupRequest = Parameters<typeof writeBackup>[0]
type Outcome = Awaited<RunningBackup['done']>

async function backUpRunning(order: BackupRequest, id: string): Promise<Outcome> {
  const notify = async (name: string): Promise<BackupAnswer> =>
    (await ask(order.folder, name, id).catch(unlessRefused)) ??
    refuse('conflict', { what: 'The service stopped during the backup. Run it again' })
  const { promise: lost, reject } = Promise.withResolvers<never>()
  const notifying = setInterval(() => notify('backup going').catch(reject), REPORT_EVERY_MS)
  try {
    const running = writeBackup({
      ...order,
      askCut: async () => (await notify('backup cut')).cut,
      onHeld: async () => void (await notify('backup pinned')),
      // Had the service forgotten this backup meanwhile, files could be missing from it.
      onCopied: async () => void (await notify('backup going')),
    })
    return await untilDone(running, lost)
  } finally {
    clearInterval(notifying)
    // It ends by itself where this does not reach the service.
    await ask(order.folder, 'backup end', id).catch(() => undefined)
  }
}

async function backUpStopped(order: BackupRequest): Promise<Outcome> {
  const { folder } = order
  if (!['catalog.db', 'samples.db'].every((name) => existsSync(join(folder, name)))) {
    refuse('not_found', { what: `${folder} contains no Weir data. Set WEIR_DATA_DIR` })
  }
  const lock = lockFolder(folder)
  try {
    checkFolder(folder)
    return await untilDone(writeBackup(order))
  } finally {
    lock.release()
  }
}

/** Whatever ends it, nothing half stays. */
async function untilDone(running: RunningBackup, lost?: Promise<never>): Promise<Outcome> {
  for (const [signal, code] of Object.entries(SIGNAL_EXITS)) {
    process.once(signal, () => {
      running.discard()
      process.exit(code)
    })
  }
  try {
    return await (lost === undefined ? running.done : Promise.race([running.done, lost]))
  } catch (error) {
    running.discard()
    throw error
  }
}

/** Makes a data folder from the backup that the line names. */
export async function runRestore({ options, isJson }: ParsedLine): Promise<void> {
  const from = options.backup?.[0]
  if (from === undefined || from === '') {
    throw new UsageMistake('restore needs one backup to read')
  }
  const to = options.to?.[0] ?? restoredFolder()
  process.umask(0o077)
  const restored = await restoreBackup({ from, to, onProgress: reportProgress('restored') })
  const { time, version: writtenBy, hasKey, files, bytes } = restored
  const key = hasKey ? KEY_RESTORED : lostKey(to)
  print({ restored: resolve(to), time, writtenBy: `Weir ${writtenBy}`, files, bytes, key }, isJson)
}

/** Where a restore without a place goes to: the folder of the settings, where that is the storage. */
function restoredFolder(): string {
  const { dataDir, store } = readConfig(process.env)
  return store === 'embedded' ? dataDir : refuse('conflict', { what: NO_BACKUP })
}

function lostKey(to: string): string {
  return (
    `The backup does not include secret.key. Copy it to ${resolve(to)} before you start the service. ` +
    'Without it, the service creates a new key file. API keys, sign-in passwords, and sessions still work. ' +
    'Secrets of existing API keys can no longer be shown, each connection needs its password again, and people with a ' +
    'second factor must sign in with a recovery code and set it up again'
  )
}

/** A word to the running service; undefined when none runs. */
async function ask(folder: string, name: string, id?: string): Promise<BackupAnswer | undefined> {
  const answer = await sendCommand(folder, { name, options: id === undefined ? {} : { id: [id] } })
  if (answer?.success === false) throw new Refusal('conflict', answer.message)
  return answer?.result as BackupAnswer | undefined
}

/** A connection that breaks counts like one that is not taken. */
function unlessRefused(error: unknown): undefined {
  if (error instanceof Refusal) throw error
}

/** A backup inside the folder would be a part of the next one, and lost together with it. */
function requireOutside(target: string, dataDir: string): void {
  let above = resolve(target)
  while (!existsSync(above)) above = dirname(above)
  const folder = realpathSync(dataDir)
  if (`${realpathSync(above)}${sep}`.startsWith(`${folder}${sep}`)) {
    refuse('conflict', { what: `${target} is inside the data folder. Use a target outside of it` })
  }
}

/** Reports on standard error how far a copy is, now and then. */
function reportProgress(what: string): (part: string, bytes: number) => void {
  let toldAtMs = systemClock.elapsed()
  return (part, bytes) => {
    const now = systemClock.elapsed()
    if (now - toldAtMs < PROGRESS_EVERY_MS) return
    toldAtMs = now
    console.error(`${what} ${part}: ${bytes} bytes`)
  }
}

function print(result: Readonly<Record<string, unknown>>, isJson: boolean): void {
  console.log(isJson ? JSON.stringify({ success: true, result }) : printResult(result))
}
