/**
 * Starts a runner of GS SQL, the only program that the service starts. It is Node with the service's own sources. Its
 * command line contains nothing that a caller has sent.
 *
 * A shell runs between the two. Where the system has them, it uses programs that drop privileges (isolation.ts). The
 * shell sets the limits that Node cannot set for itself: no file can be written, and the system bounds the memory.
 *
 * The shell also waits at a pipe whose other end the service holds. When the pipe closes, even because the service was
 * killed, the shell kills the runner. The runner itself would not notice in the middle of an endless query. The shell
 * reaps the runner as well; a service that is process 1 of a container would not.
 */
import { spawn } from 'node:child_process'
import type { Socket } from 'node:net'
import type { Log } from '../../base/index.ts'
import { isolatingCommand } from './isolation.ts'
import { compileAhead, runnerCommand } from './runner-command.ts'

const SHELL = '/bin/sh'

const SCRIPT = `
trap '' TERM INT HUP
ulimit -c 0
ulimit -f 0 || exit 1
ulimit -d "$1" 2>/dev/null
shift
unset PWD OLDPWD
"$@" 4<&- &
runner=$!
exec 2>/dev/null 3<&-
read -r line <&4
kill -9 "$runner"
wait "$runner"
`

/** What Node itself reserves counts as data, though it never uses most of it. */
const NODE_DATA_KB = 1024 * 1024

/** Of what a runner says before it dies, the end is kept. */
const LAST_WORDS_MAX = 4_096

/** A runner's process. */
export interface RunnerProcess {
  /** Frames go in and come out here. */
  readonly channel: Socket
  /** Resolves when nothing more comes from its standard error. */
  readonly silent: Promise<void>
  /** Resolves when the process has gone and is reaped. */
  readonly gone: Promise<void>
  /** What it has written to its standard error, the last of it. */
  lastWords(): string
  /** Ends it at once, whatever it does. */
  kill(): void
}

/** Starts a runner with so much memory for its heap, and about as much for SQLite. */
export async function spawnRunner(memoryMb: number, log: Log): Promise<RunnerProcess> {
  await compileAhead(memoryMb)
  const isolating = await isolatingCommand(memoryMb, log)
  const dataKb = NODE_DATA_KB + 2 * memoryMb * 1_024
  const child = spawn(
    SHELL,
    ['-c', SCRIPT, 'weir-sql', String(dataKb), ...isolating, ...runnerCommand(memoryMb, 'serve')],
    {
      cwd: '/',
      // A session of its own: Ctrl+C in the service's terminal is for the service.
      detached: true,
      env: {},
      stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
    },
  )
  const [, , stderr, channel, lifeline] = child.stdio as unknown as [
    null,
    null,
    Socket,
    Socket,
    Socket,
  ]
  let words = ''
  stderr.setEncoding('utf8').on('data', (text: string) => {
    words = (words + text).slice(-LAST_WORDS_MAX)
  })
  // What is written to a runner that has just died cannot arrive, and need not.
  for (const stream of [stderr, channel, lifeline]) stream.on('error', () => {})
  const silent = new Promise<void>((resolve) => stderr.once('close', () => resolve()))
  const gone = new Promise<void>((resolve) => {
    child.once('error', (error) => {
      words += error.message
      resolve()
    })
    child.once('exit', (_code, signal) => {
      // Someone has killed the shell, so that nobody holds the runner: it goes with its group.
      if (signal !== null && child.pid !== undefined) killGroup(child.pid)
      resolve()
    })
  })
  return { channel, silent, gone, lastWords: () => words.trim(), kill: () => lifeline.destroy() }
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It has gone as well.
  }
}
