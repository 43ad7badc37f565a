import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { BodyMemory } from './body-memory.ts'
import { FrontConnection, type FrontDeps } from './front-connection.ts'

/** One read takes a whole put of a thousand samples when it has arrived. */
const SHARED_BYTES = 256 * 1024

/** How the front serves, and what bodies that arrive in pieces may take. */
export interface FrontOptions
  extends Pick<FrontDeps, 'abandon' | 'expect' | 'isServed' | 'serve' | 'keepAliveMs' | 'idleMs'> {
  readonly arrivingBytesMax?: number
}

/** What is served before Node's HTTP server sees a connection. */
export interface Front {
  /** Closes the connections that Node's HTTP server does not know, and from here on every new one. */
  closeAllConnections(): void
}

/**
 * Reads the connections of a server before its HTTP parser does. Most calls of a busy service are
 * plain puts over a kept connection, and Node's general request and response objects cost several
 * times what reading such a call takes.
 */
export function openFront(
  server: Server,
  event: 'connection' | 'secureConnection',
  deps: FrontOptions,
): Front {
  // These are Node's own: whoever emits the event hands a connection to the HTTP server.
  const listeners = server.listeners(event)
  server.removeAllListeners(event)
  const sockets = new Set<Socket>()
  let isClosed = false
  const shared: FrontDeps = {
    ...deps,
    memory: new BodyMemory(deps.arrivingBytesMax),
    shared: Buffer.allocUnsafeSlow(SHARED_BYTES),
    handOver: (socket) => {
      sockets.delete(socket)
      for (const listener of listeners) listener.call(server, socket)
    },
  }
  const track = (socket: Socket): void => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  }
  server.on(event, (accepted: Socket) => {
    if (isClosed) accepted.destroy()
    else track(new FrontConnection(accepted, shared).socket)
  })
  if (event === 'secureConnection') {
    // Who never begins with TLS is known to nobody else, and would hold up the server's end.
    server.on('connection', (raw: Socket) => (isClosed ? raw.destroy() : track(raw)))
  }
  return {
    closeAllConnections: () => {
      isClosed = true
      for (const socket of sockets) socket.destroy()
    },
  }
}
