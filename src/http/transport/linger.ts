import type { IncomingMessage } from 'node:http'
import { freeBytes } from '../../base/index.ts'

/** How long the rest of a refused body is read away before the connection is closed. */
const LINGER_MS = 10_000

/**
 * Calls back once the rest of a request was read away, or after a while. Closing the connection
 * earlier would reset it, and a client that is still sending would lose the answer that says why.
 */
export function afterBody(req: IncomingMessage, done: () => void): void {
  const timer = setTimeout(end, LINGER_MS).unref()
  function end(): void {
    clearTimeout(timer)
    req.off('end', end)
    req.off('close', end)
    done()
  }
  req.once('end', end)
  req.once('close', end)
  if (req.destroyed) end()
  // Whoever read the body before lets go of it within this turn of the loop.
  setImmediate(() => {
    req.on('data', freeBytes)
    req.resume()
  })
}
