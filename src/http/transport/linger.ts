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
  // The previous reader of the body releases it within this iteration of the event loop.
  setImmediate(() => {
    req.on('data', freeBytes)
    req.resume()
  })
}
