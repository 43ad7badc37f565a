/** Programs of others: how they are installed, once for all runs, and run. */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

const execute = promisify(execFile)

interface RunOptions {
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
}

/** What a program prints; fails with all that it has printed. */
export async function run(
  [program, ...args]: readonly string[],
  { cwd, env }: RunOptions = {},
): Promise<string> {
  const options = { cwd, env: { ...process.env, ...env }, maxBuffer: 64 * 1024 * 1024 }
  try {
    return (await execute(program, args, options)).stdout
  } catch (error) {
    const { stdout = '', stderr = '', message } = error as Error & Record<string, string>
    throw new Error(`${program} failed: ${stdout}${stderr}${message}`, { cause: error })
  }
}

/** Why a command fails, or false. */
export async function whyMissing(
  command: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<string | false> {
  try {
    await run(command, { env })
    return false
  } catch (error) {
    return (error as Error).message.slice(0, 300)
  }
}

/** Installs a program by some commands unless it is there; why it cannot be obtained, or false. */
export async function obtain(
  program: string,
  commands: readonly (readonly string[])[],
  env: Readonly<Record<string, string>> = {},
): Promise<string | false> {
  if (existsSync(program)) return false
  for (const command of commands) {
    const why = await whyMissing(command, env)
    if (why !== false) return why
  }
  return existsSync(program) ? false : `${program} was not installed`
}

/** Installs packages of Python into an environment of their own; why they cannot be obtained, or false. */
export async function obtainPython(
  home: string,
  packages: readonly string[],
): Promise<string | false> {
  // The mark of a finished installation is written last.
  const done = join(home, 'installed')
  return await obtain(done, [
    ['python3', '-m', 'venv', home],
    [join(home, 'bin/pip'), 'install', '--quiet', ...packages],
    ['touch', done],
  ])
}
