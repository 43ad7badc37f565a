/** Standard output and standard error of a process that must outlive their readers. */
import type { Writable } from 'node:stream'
import { systemClock } from './clock.ts'

/** Log lines that a slow reader has not read yet. Further lines are dropped and counted. */
const BACKLOG_BYTES_MAX = 1024 * 1024

/** A process that ends waits this long for its readers. */
const EXIT_WAIT_MS = 1_000

/** The code of sysexits.h for output that cannot be written. */
const EXIT_OUTPUT = 74

const outputs = () => [process.stdout, process.stderr]

/**
 * Lets the service go on when its outputs are lost. A closed pipe or a full disk raises no error, and a terminal that
 * shows nothing does not block: Node writes to terminals synchronously by default.
 */
export function detachOutputs(): void {
  for (const stream of outputs()) {
    stream.on('error', () => {})
    const { _handle: handle } = stream as { _handle?: { setBlocking?(isBlocking: boolean): void } }
    handle?.setBlocking?.(false)
  }
}

/**
 * Lets a command go on when the reader of its outputs has left, as in `weir backup | head -1`. Any other failure to
 * write the result is an exit code: the caller does not have it.
 */
export function outliveReaders(): void {
  process.stderr.on('error', () => {})
  process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE') return
    process.once('exit', () => {
      process.exitCode ||= EXIT_OUTPUT
    })
  })
}

/** Writes log lines to a stream without ever waiting for its reader. Drops and counts lines past a fixed backlog. */
export function boundedLog(
  stream: Writable,
  write: (line: string) => void = (line) => void stream.write(line),
): { write(line: string): void } {
  let droppedCount = 0
  return {
    write: (line) => {
      if (stream.writableLength > BACKLOG_BYTES_MAX) {
        droppedCount += 1
        return
      }
      if (droppedCount > 0) write(droppedLine(droppedCount))
      droppedCount = 0
      write(line)
    },
  }
}

function droppedLine(dropped: number): string {
  const time = new Date(systemClock.now()).toISOString()
  const msg = 'log lines were dropped because nobody read the output'
  return `${JSON.stringify({ level: 'warn', time, dropped, msg })}\n`
}

/** Ends the process when its outputs are written, or after a second. */
export function exitSoon(code: number): void {
  const end = (): never => process.exit(code)
  setTimeout(end, EXIT_WAIT_MS)
  Promise.all(outputs().map(written)).then(end)
}

function written(stream: Writable): Promise<void> {
  return new Promise((resolve) => stream.write('', () => resolve()))
}
