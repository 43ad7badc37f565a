import type { CqlStatement } from '../connection/cluster.ts'
import { ROW_BYTES, WRITE_FRAME_BYTES_MAX, WRITE_FRAME_RUNS_MAX } from './frame-groups.ts'

/** A row waits no longer for the frame before it, whose node may hang. */
const WAIT_MS_MAX = 20

/** A small row of a call. */
interface SharedRow {
  /** The node that has its first copy, as a number. */
  readonly node: number
  readonly statement: CqlStatement
  /** The bytes of its values. */
  readonly bytes: number
}

interface Waiting extends PromiseWithResolvers<void> {
  readonly row: SharedRow
}

/** The rows for one node. */
interface Line {
  waiting: Waiting[]
  bytes: number
  /** Frames that are sent and not yet answered. */
  inProgress: number
  /** Sends what waits, if nothing else does before. */
  timer: NodeJS.Timeout | undefined
}

/**
 * Lets small rows of concurrent calls share frames, which halves their cost for the nodes and this process. The first
 * row for a node is sent at once. The next ones wait until that frame is answered, for some milliseconds at most.
 */
export class SharedFrames {
  readonly #send: (statements: readonly CqlStatement[]) => Promise<void>
  readonly #lines = new Map<number, Line>()

  constructor(send: (statements: readonly CqlStatement[]) => Promise<void>) {
    this.#send = send
  }

  /** Writes a row; resolves when its frame is on a majority of the replicas. */
  write(row: SharedRow): Promise<void> {
    const line = this.#lineOf(row.node)
    const bytes = ROW_BYTES + row.bytes
    if (line.bytes + bytes > WRITE_FRAME_BYTES_MAX) this.#flush(line)
    const waiting = { row, ...Promise.withResolvers<void>() }
    line.waiting.push(waiting)
    line.bytes += bytes
    if (line.waiting.length === WRITE_FRAME_RUNS_MAX) this.#flush(line)
    else if (line.waiting.length === 1) {
      // Calls that have received their stamps together arrive within one turn of the loop.
      if (line.inProgress === 0) setImmediate(() => this.#flush(line))
      else line.timer = setTimeout(() => this.#flush(line), WAIT_MS_MAX)
    }
    return waiting.promise
  }

  #lineOf(node: number): Line {
    const known = this.#lines.get(node)
    if (known !== undefined) return known
    const line: Line = { waiting: [], bytes: 0, inProgress: 0, timer: undefined }
    this.#lines.set(node, line)
    return line
  }

  #flush(line: Line): void {
    clearTimeout(line.timer)
    const { waiting } = line
    if (waiting.length === 0) return
    line.waiting = []
    line.bytes = 0
    line.inProgress += 1
    void this.#send(waiting.map(({ row }) => row.statement))
      .then(
        () => waiting.forEach(({ resolve }) => void resolve()),
        (error) => waiting.forEach(({ reject }) => void reject(error)),
      )
      .finally(() => {
        line.inProgress -= 1
        this.#flush(line)
      })
  }
}
