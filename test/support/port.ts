import { once } from 'node:events'
import { createServer } from 'node:net'

/** Below what systems hand out to programs that ask for any port, above what needs a right or is well known. */
const [FIRST, COUNT] = [20_000, 12_000]
const TRIES_MAX = 50

/**
 * A free port that no listener for any port and no outgoing connection is given meanwhile, for tests that
 * leave a port and come back to it.
 */
export async function keepablePort(): Promise<number> {
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const port = FIRST + Math.floor(Math.random() * COUNT)
    const server = createServer()
    try {
      const listening = once(server, 'listening')
      server.listen(port, '127.0.0.1')
      await listening
      return port
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    } finally {
      server.close()
    }
  }
  throw new Error(`No free port among ${TRIES_MAX} of ${FIRST} to ${FIRST + COUNT}`)
}
