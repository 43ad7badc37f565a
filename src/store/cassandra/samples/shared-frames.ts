import type { CqlStatement } from '../connection/cluster.ts'
import { ROW_BYTES, WRITE_FRAME_BYTES_MAX, WRITE_FRAME_RUNS_MAX } from './frame-groups.ts'

/** A row waits no longer for the frame before it, whose node may hang. */
const WAIT_MS_MAX = 20

interface Waiting extends PromiseWithResolvers<void> {
  readonly statement: CqlStatement
}

/**
 * Lets small rows of concurrent calls share frames, which costs the nodes and this process less than single rows. The
 * first row is sent at once. The next ones wait until that frame is answered, or until they fill a frame.
 */
export class SharedFrames {
  readonly #send: (statements: readonly CqlStatement[]) => Promise<void>
  #waiting: Waiting[] = []
  #bytes = 0
  /** Frames that are sent and not yet answered. */
  #inProgress = 0
  /** Sends what waits, if nothing else does before. */
  #timer: NodeJS.Timeout | undefined

  constructor(send: (statements: readonly CqlStatement[]) => Promise<void>) {
    this.#send = send
  }

  /** Writes a row, given the bytes of its values. Resolves when its frame is on a majority of the replicas. */
  write(statement: CqlStatement, valueBytes: number): Promise<void> {
    const bytes = ROW_BYTES + valueBytes
    if (this.#bytes + bytes > WRITE_FRAME_BYTES_MAX) this.#flush()
    const waiting = { statement, ...Promise.withResolvers<void>() }
    this.#waiting.push(waiting)
    this.#bytes += bytes
    if (this.#waiting.length === WRITE_FRAME_RUNS_MAX) this.#flush()
    else if (this.#waiting.length === 1) this.#flushLater()
    return waiting.promise
  }

  #flushLater(): void {
    // Calls that have received their stamps together arrive within one turn of the loop.
    if (this.#inProgress === 0) setImmediate(() => this.#flush())
    else this.#timer = setTimeout(() => this.#flush(), WAIT_MS_MAX)
  }

  #flush(): void {
    clearTimeout(this.#timer)
    const waiting = this.#waiting
    if (waiting.length === 0) return
    this.#waiting = []
    this.#bytes = 0
    this.#inProgress += 1
    void this.#send(waiting.map(({ statement }) => statement))
      .then(
        () => waiting.forEach(({ resolve }) => void resolve()),
        (error) => waiting.forEach(({ reject }) => void reject(error)),
      )
      .finally(() => {
        this.#inProgress -= 1
        this.#flush()
      })
  }
}
