/** The service as a process: settings, signals, exit codes. */

import { setTimeout as pause } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { openApp, type WeirApp } from './app.ts'
import { heapFlagFor, memoryBytesOf } from './assembly/app-settings.ts'
import { firstStartText } from './assembly/first-start-text.ts'
import { takeUnprinted, unprintedText } from './assembly/unprinted-password.ts'
import type { CreatedOrganization } from './auth/administer/index.ts'
import {
  boundedLog,
  type Config,
  ConfigError,
  createLog,
  detachOutputs,
  exitSoon,
  findOpenFilesMax,
  type Log,
  peopleLog,
  Refusal,
  readConfig,
  systemClock,
  trimWhenIdle,
} from './base/index.ts'
import { findStudioProblem } from './http/index.ts'
import {
  BackupDamaged,
  damageOf,
  FolderDamaged,
  FolderForbidden,
  FolderInUse,
} from './store/embedded/index.ts'
import { CatalogDamaged, StoreUnusable } from './store/index.ts'

/** Exit codes of sysexits.h: wrong settings, damaged data, a folder in use, no free port, files of another user. */
const EXIT_CONFIG = 78
const EXIT_DATA = 65
const EXIT_IN_USE = 75
const EXIT_UNAVAILABLE = 69
const EXIT_FORBIDDEN = 77
/** Other calls have some of these, too. */
const LISTEN_CALLS = ['listen', 'bind', 'getaddrinfo']
const LISTEN_ERRORS = ['EADDRINUSE', 'EADDRNOTAVAIL', 'EACCES', 'ENOTFOUND', 'EAI_AGAIN']

/** What the operating system lacks, such as file handles; what a disk refuses. */
const EXIT_SYSTEM = 71
const EXIT_DISK = 74
const DISK_ERRORS = ['ENOSPC', 'EDQUOT', 'EROFS', 'EIO']
/** SQLite's codes for the same: read-only, failing, full. */
const DISK_CODES = [8, 10, 13]
/** Databases, threads and the journal hold some fifty handles; a few must be left for callers. */
const OPEN_FILES_MIN = 128

/** By whom a storage that cannot be used is made usable decides the code. */
const UNUSABLE_EXITS = { settings: EXIT_CONFIG, schema: EXIT_DATA } as const

/** A start that is given up ends within this, and one that lost its cluster is tried again after that. */
const GIVE_UP_MS = 3_000
const AGAIN_MS = 1_000

/** What sends the signal usually kills after ten seconds. */
const STOP_WITHIN_MS = 9_500

/** Signals within this time are one: a Ctrl-C reaches Node from the terminal and again from npm, which passes it on. */
const ONE_SIGNAL_MS = 1_000

/** Runs the service until it is asked to stop. */
export async function serve(): Promise<void> {
  detachOutputs()
  process.once('beforeExit', () => {
    // Of a start that fails something that nobody hears of any more may never close: it must not look like a stop.
    console.error('Cannot start: nothing is left to wait for. This is a bug in Weir')
    process.exit(1)
  })
  const config = readConfig(process.env)
  requireHandles()
  const heapFlag = heapFlagFor(memoryBytesOf(config))
  if (heapFlag !== undefined) setFlagsFromString(heapFlag)
  // What the service writes is for its own user, whatever folder it was given.
  process.umask(0o077)
  // On a terminal people read along; everything else that reads wants one JSON object a line.
  const isForPeople = process.stdout.isTTY === true
  const log = createLog({
    level: config.logLevel,
    ...(isForPeople ? { destination: terminalLog() } : {}),
  })
  const app = await openUnlessStopped(config, log)
  // Before the log says that it listens: a reader of that line may stop it at once.
  const stop = (signal: NodeJS.Signals) => {
    log.info({ signal }, 'stopping: waiting for running requests')
    setTimeout(() => {
      // All that was acknowledged is on disk already; only tidying up is cut short.
      log.warn('stopping took too long, exiting')
      process.exit(0)
    }, STOP_WITHIN_MS).unref()
    app.close().then(
      () => exitSoon(0),
      (error: unknown) => {
        log.fatal({ error }, 'the service did not stop cleanly')
        exitSoon(1)
      },
    )
  }
  // The state is unknown then; what was acknowledged is on disk, and a restart reads it back.
  process.on('uncaughtException', (error) => {
    log.fatal({ error }, 'bug in Weir, exiting')
    exitSoon(1)
  })
  onStopSignal(stop)
  try {
    const address = await app.listen()
    const studio = findStudioProblem()
    if (studio !== undefined) log.warn(studio.message)
    log.info({ address, dataDir: config.dataDir }, 'listening')
    trimWhenIdle()
    const hasStudio = studio?.isMissing !== true
    const text = app.firstStart && firstStartText(address, app.firstStart, config, hasStudio)
    printFirstStart(text, { dataDir: config.dataDir, isForPeople })
  } catch (error) {
    await app.close()
    // Another program took the port in between. The password was not printed.
    if (app.firstStart !== undefined) printUnprinted(config, app.firstStart)
    throw error
  }
}

/** Calls back at the first SIGTERM or SIGINT. A later one ends the process at once. Returns what ends the listening. */
function onStopSignal(stop: (signal: NodeJS.Signals) => void): () => void {
  let firstAtMs: number | undefined
  const off = (): void => void process.off('SIGTERM', take).off('SIGINT', take)
  const take = (signal: NodeJS.Signals): void => {
    const now = systemClock.elapsed()
    if (firstAtMs === undefined) {
      firstAtMs = now
      stop(signal)
    } else if (now - firstAtMs > ONE_SIGNAL_MS) {
      // Without a listener the system ends the process.
      off()
      process.kill(process.pid, signal)
    }
  }
  process.on('SIGTERM', take).on('SIGINT', take)
  return off
}

function terminalLog(): { write(line: string): void } {
  const { stdout } = process
  return boundedLog(stdout, peopleLog((line) => stdout.write(line)).write)
}

/** Prints the text of a first start, or the text that an earlier start could not print. */
function printFirstStart(
  text: string | undefined,
  to: { readonly dataDir: string; readonly isForPeople: boolean },
): void {
  // Beside the JSON lines, not among them.
  if (text !== undefined) (to.isForPeople ? console.log : console.error)(text)
  // After the text: a kill in between prints it once more rather than never.
  const unprinted = takeUnprinted(to.dataDir)
  if (text === undefined && unprinted !== undefined) console.error(unprintedText(unprinted))
}

/** For a first start that fails: what the next one need not print again. */
function printUnprinted({ dataDir }: Config, { owner }: CreatedOrganization): void {
  console.error(unprintedText(owner.email))
  takeUnprinted(dataDir)
}

/**
 * Opens the service. On a cluster that may take as long as the cluster is away, so a signal ends it; a cluster that
 * goes away again meanwhile is waited for once more.
 */
async function openUnlessStopped(config: Config, log: Log): Promise<WeirApp> {
  if (config.store === 'embedded') return await openApp(config, { log })
  const stopping = new AbortController()
  const stop = (signal: NodeJS.Signals) => {
    log.info({ signal }, 'stopping: startup canceled')
    stopping.abort()
    setTimeout(() => process.exit(0), GIVE_UP_MS).unref()
  }
  const ignoreSignals = onStopSignal(stop)
  try {
    for (;;) {
      const app = await openApp(config, { log, signal: stopping.signal }).catch((error) => {
        const why = reasonWhenAway(error)
        log.warn({ why }, 'the start waits for the cluster, which went away again')
        return undefined
      })
      if (stopping.signal.aborted) {
        if (app?.firstStart !== undefined) printUnprinted(config, app.firstStart)
        await app?.close()
      }
      stopping.signal.throwIfAborted()
      if (app !== undefined) return app
      await pause(AGAIN_MS, undefined, { signal: stopping.signal })
    }
  } catch (error) {
    if (!stopping.signal.aborted) throw error
    process.exit(0)
  } finally {
    ignoreSignals()
  }
}

/** What a cluster that is away has answered; throws what is another error. */
function reasonWhenAway(error: unknown): string {
  if (!(error instanceof Refusal) || error.code !== 'store_away') throw error
  return error.cause instanceof Error ? error.cause.message : error.message
}

/** The system gives this process too little to run; nothing was changed. */
class SystemLacks extends Error {}

/** Logged before anything is opened: without handles a thread or a database fails anywhere, with any message. */
function requireHandles(): void {
  const soft = findOpenFilesMax()
  if (soft === undefined || soft >= OPEN_FILES_MIN) return
  throw new SystemLacks(
    `this process can open ${soft} files but needs at least ${OPEN_FILES_MIN}. Raise the limit with "ulimit -n"`,
  )
}

/** Whether an error, or what caused it, says that no file handle was left. */
function isOutOfHandles(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { code, message } = cause as NodeJS.ErrnoException
    if (code === 'EMFILE' || code === 'ENFILE' || /\bE[MN]FILE\b/.test(message)) return true
  }
  return false
}

/** Whether an error, or what caused it, says that the disk is full, read-only or failing. */
function isDiskTrouble(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { code, errcode = 0 } = cause as NodeJS.ErrnoException & { errcode?: number }
    if (DISK_ERRORS.includes(code ?? '') || DISK_CODES.includes(errcode & 0xff)) return true
  }
  return false
}

/** Says on standard error why the process cannot go on, and ends it with the fitting code. */
export function exitWith(error: unknown, attempt = 'Cannot start'): never {
  if (error instanceof ConfigError) {
    const mistakes = error.mistakes.map((mistake) => `  - ${mistake}`)
    console.error([`${error.message}:`, ...mistakes].join('\n'))
    process.exit(EXIT_CONFIG)
  }
  const { code, message, stack, syscall = '' } = error as NodeJS.ErrnoException
  if (error instanceof BackupDamaged) {
    console.error(message)
    process.exit(EXIT_DATA)
  }
  if (error instanceof FolderInUse) {
    console.error(message)
    process.exit(EXIT_IN_USE)
  }
  if (error instanceof SystemLacks || isOutOfHandles(error)) {
    const why = error instanceof SystemLacks ? message : `not enough file handles (${message})`
    console.error(`${attempt}: ${why}`)
    process.exit(EXIT_SYSTEM)
  }
  if (error instanceof StoreUnusable) {
    console.error(`${attempt}: ${message}`)
    process.exit(UNUSABLE_EXITS[error.why])
  }
  if (error instanceof Refusal || isDiskTrouble(error)) {
    console.error(`${attempt}: ${message}`)
    process.exit(EXIT_DISK)
  }
  const isDamage = error instanceof FolderDamaged || error instanceof CatalogDamaged
  const damage = isDamage ? error : damageOf(error, 'A database of the data folder')
  if (damage !== undefined) {
    console.error(`${attempt}: ${damage.message}`)
    process.exit(EXIT_DATA)
  }
  if (code !== undefined && LISTEN_ERRORS.includes(code) && LISTEN_CALLS.includes(syscall)) {
    console.error(`Cannot listen: ${message}. Set WEIR_HOST and WEIR_PORT to a free address`)
    process.exit(EXIT_UNAVAILABLE)
  }
  if (error instanceof FolderForbidden || code === 'EACCES' || code === 'EPERM') {
    console.error(`${attempt}: ${message}`)
    process.exit(EXIT_FORBIDDEN)
  }
  console.error(`${attempt}: ${stack ?? message}`)
  process.exit(1)
}
