/** Where an answer is written to: a socket or Node's response. */
interface Sink {
  readonly destroyed: boolean
  write(bytes: Uint8Array, sent: (error?: Error | null) => void): boolean
}

/** So much of a long answer is handed over at a time: TLS copies and encrypts all that it is given. */
export const WRITTEN_BYTES_MAX = 256 * 1024

/** Writes a body piece by piece, each when the one before has left; calls back after the last. */
export function writeSlices(
  sink: Sink,
  body: Uint8Array,
  done: (error?: Error | null) => void,
): void {
  let at = 0
  const next = (error?: Error | null): void => {
    if (error || at >= body.length || sink.destroyed) {
      done(error)
      return
    }
    const slice = body.subarray(at, at + WRITTEN_BYTES_MAX)
    at += slice.length
    sink.write(slice, next)
  }
  next()
}
