/**
 * Runs main files one after the other in one process: a process of its own spends most of its CPU time on loading the
 * service. For starts that are refused and for commands; a start that succeeds needs a process of its own.
 */
import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { atEnd } from './at-end.ts'
import { childEnv } from './child-env.ts'
import { isPackage } from './program.ts'
import type { CommandOutcome } from './weir-command.ts'

/** What the process runs: SERVICE_FILE or COMMAND_FILE, with words and settings. */
export interface SharedRun {
  readonly main: string
  readonly words: readonly string[]
  readonly settings: Readonly<Record<string, string>>
}

/** Who runs the process, and what Node loads into it first. */
interface SharedProcessOptions {
  readonly uid?: number
  readonly gid?: number
  readonly execArgv?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

/** The process. It starts with the first run, and ends with the tests of this process. */
export class SharedProcess {
  readonly #options: SharedProcessOptions
  #child: ChildProcess | undefined
  #last: Promise<unknown> = Promise.resolve()

  constructor(options: SharedProcessOptions = {}) {
    this.#options = options
  }

  /** Runs a main file to its end; runs wait for each other. */
  run(run: SharedRun): Promise<CommandOutcome> {
    // A file of a package starts its program once a process: others of its files import it.
    const runNext = () => (isPackage ? this.#runAlone(run) : this.#runNext(run))
    const outcome = this.#last.then(runNext)
    this.#last = outcome.catch(() => {})
    return outcome
  }

  async #runNext(run: SharedRun): Promise<CommandOutcome> {
    this.#child ??= this.#start()
    const child = this.#child
    const { promise, resolve, reject } = Promise.withResolvers<CommandOutcome>()
    const onExit = (code: number | null, signal: NodeJS.Signals | null) =>
      reject(new Error(`The process ended with ${code ?? signal} amid ${run.main} ${run.words}`))
    child.once('message', resolve).once('exit', onExit)
    child.send(run)
    return await promise.finally(() => child.off('message', resolve).off('exit', onExit))
  }

  async #runAlone({ main, words, settings }: SharedRun): Promise<CommandOutcome> {
    const { env, execArgv = [], ...user } = this.#options
    const child = spawn(process.execPath, [...execArgv, main, ...words], {
      ...user,
      env: { ...childEnv, ...env, ...settings },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const [out, err, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'close'),
    ])
    return { code, out, err }
  }

  #start(): ChildProcess {
    const { env, execArgv = [], ...user } = this.#options
    const child = fork(new URL('./shared-process-child.ts', import.meta.url), {
      ...user,
      env: { ...childEnv, ...env },
      execArgv: [...execArgv],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
    atEnd(async () => void child.kill('SIGKILL'))
    return child
  }
}

/** The process of all tests that need no other. */
export const sharedProcess = new SharedProcess()
