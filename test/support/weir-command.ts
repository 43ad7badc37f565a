import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { childEnv } from './child-env.ts'
import { COMMAND_FILE } from './program.ts'
import { sharedProcess } from './shared-process.ts'

/** How a command of the command line ended. */
export interface CommandOutcome {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** A command of the command line that runs. */
export interface RunningCommand {
  readonly child: ChildProcess
  readonly done: Promise<CommandOutcome>
}

/** Starts `weir` with some words on a data folder, in a process of its own. */
export function startWeir(
  dataDir: string,
  words: readonly string[],
  settings: Readonly<Record<string, string>> = {},
): RunningCommand {
  const env = { ...childEnv, WEIR_DATA_DIR: dataDir, ...settings }
  const child = spawn(process.execPath, [COMMAND_FILE, ...words], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let [out, err] = ['', '']
  child.stdout.on('data', (part: Buffer) => {
    out += part
  })
  child.stderr.on('data', (part: Buffer) => {
    err += part
  })
  const done = once(child, 'close').then(() => ({ code: child.exitCode, out, err }))
  return { child, done }
}

/** Runs `weir` to its end, in a process that other commands share. */
export function runWeir(dataDir: string, ...words: string[]): Promise<CommandOutcome> {
  return runWeirWith({ WEIR_DATA_DIR: dataDir }, ...words)
}

/** As runWeir(), with settings. */
export function runWeirWith(
  settings: Readonly<Record<string, string>>,
  ...words: string[]
): Promise<CommandOutcome> {
  return sharedProcess.run({ main: COMMAND_FILE, words, settings })
}
