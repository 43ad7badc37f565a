/**
 * What a runner does from its start to its end: it loads its code, gives up what rights it had for that,
 * and then runs one call after the other, until the channel closes.
 */
import { invariant } from '../../base/plain.ts'
import type { CompiledSql } from '../compiled-sql.ts'
import { CellReader, type RowCell } from './cell-codec.ts'
import { PlacedFailure } from './placed-failure.ts'
import { RunnerProgram } from './run-program.ts'
import { ChannelEnd, InputFailure, RunnerChannel } from './runner-channel.ts'
import { RunnerDatabase, type SqlHost } from './runner-database.ts'
import { FRAME, type Frame } from './runner-frames.ts'

/** Where the service has put the channel. */
const CHANNEL_FD = 3

/** Serves calls until the service closes the channel; the process ends then. */
export function serveRunner(host: SqlHost): void {
  dropRights()
  // A service that is asked to stop lets calls end first. A runner ends with its channel, not with a
  // signal that everyone in the service's control group gets.
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => {})
  const calls = new RunnerCalls(new RunnerChannel(CHANNEL_FD), host)
  try {
    calls.serve()
  } catch (error) {
    if (!(error instanceof ChannelEnd)) throw error
  }
  process.exit(0)
}

/** From here on no file can be read, not even those the runner's own code came from. */
function dropRights(): void {
  const { permission } = process
  invariant(permission !== undefined, 'a runner has no permission model')
  permission.drop('fs')
  const rights = ['fs.read', 'fs.write', 'child', 'worker', 'net', 'addon', 'wasi', 'inspector']
  const kept = rights.filter((right) => permission.has(right))
  invariant(kept.length === 0, `a runner has the rights ${kept}`)
  invariant(!permission.has('fs.read', process.execPath), 'a runner can read files')
}

/** The calls of one runner, and the programs that it keeps compiled. */
class RunnerCalls {
  readonly #channel: RunnerChannel
  readonly #host: SqlHost
  readonly #database = new RunnerDatabase()
  readonly #programs = new Map<number, RunnerProgram>()

  constructor(channel: RunnerChannel, host: SqlHost) {
    this.#channel = channel
    this.#host = host
  }

  serve(): never {
    this.#channel.write(FRAME.ready, (writer) => writer.uint32(process.pid))
    this.#channel.flush()
    for (;;) this.#obey(this.#channel.read())
  }

  #obey({ kind, body }: Frame): void {
    const reader = new CellReader(body)
    if (kind === FRAME.program) this.#keep(reader)
    else if (kind === FRAME.run) this.#run(reader)
    else invariant(false, `frame ${kind} for a runner that waits`)
  }

  #keep(reader: CellReader): void {
    const slot = reader.uint32()
    this.#programs.get(slot)?.close()
    const program = JSON.parse(reader.text()) as CompiledSql
    this.#programs.set(slot, new RunnerProgram(program, this.#database, this.#host))
  }

  #run(reader: CellReader): void {
    const program = this.#programs.get(reader.uint32())
    invariant(program !== undefined, 'a runner does not have the program')
    const now = reader.int64()
    const rowsMax = reader.uint32()
    const variables: RowCell[] = []
    while (!reader.isAtEnd) variables.push(reader.cell())
    try {
      const rowCount = program.run({ now, rowsMax, variables }, this.#channel)
      this.#channel.write(FRAME.done, (writer) => writer.uint32(rowCount))
    } catch (error) {
      this.#reportFailure(error)
    }
    this.#channel.flush()
    this.#channel.skipInputs()
    this.#database.clear()
  }

  #reportFailure(error: unknown): void {
    const cause = error instanceof PlacedFailure ? error.cause : error
    if (cause instanceof ChannelEnd) throw cause
    const isPlaced = error instanceof PlacedFailure && !(cause instanceof InputFailure)
    this.#channel.write(FRAME.failed, (writer) => {
      const [from, until] = isPlaced ? error.place : [0, 0]
      writer.uint32(from)
      writer.uint32(until)
      writer.text((error as Error).message)
    })
  }
}
