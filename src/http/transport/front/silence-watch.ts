/** Looks so often in the time that a connection may be silent: it goes at most one part of it later. */
const PARTS = 4

/** A connection that may be silent for a while. */
export interface Quiet {
  /** How many bytes have come and gone. */
  readonly movedBytes: number
  /** Called repeatedly while nothing moves for too long. */
  onSilent(): void
}

interface Seen {
  movedBytes: number
  /** How many looks have seen the same. */
  looks: number
}

/**
 * Reports connections on which nothing moves for too long. Node's own timer for that is set again with
 * every read and write; looking at all connections now and then costs a call nothing.
 */
export class SilenceWatch {
  readonly #seen = new Map<Quiet, Seen>()
  readonly #timer: NodeJS.Timeout

  constructor(silentMsMax: number) {
    this.#timer = setInterval(() => this.look(), silentMsMax / PARTS).unref()
  }

  begin(connection: Quiet): void {
    this.#seen.set(connection, { movedBytes: Number.NaN, looks: 0 })
  }

  end(connection: Quiet): void {
    this.#seen.delete(connection)
  }

  /** Looks at all connections; called by the timer. */
  look(): void {
    for (const [connection, seen] of this.#seen) {
      const { movedBytes } = connection
      if (movedBytes !== seen.movedBytes) {
        seen.movedBytes = movedBytes
        seen.looks = 0
        continue
      }
      seen.looks += 1
      if (seen.looks >= PARTS) connection.onSilent()
    }
  }

  /** Stops looking. */
  close(): void {
    clearInterval(this.#timer)
  }
}
