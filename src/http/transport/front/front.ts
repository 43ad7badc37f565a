import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { BodyMemory, type UnauthenticatedBudget } from './body-memory.ts'
import { FrontConnection, type FrontDeps } from './front-connection.ts'
import { gateMessages } from './gate-messages.ts'

/** One read takes a whole put of a thousand samples when it has arrived. */
const SHARED_BYTES = 256 * 1024

/** How the front serves, and what bodies that arrive in pieces may take. */
interface FrontOptions
  extends Pick<
    FrontDeps,
    | 'abandon'
    | 'arrivals'
    | 'departures'
    | 'expect'
    | 'findServe'
    | 'serve'
    | 'keepAliveMs'
    | 'silences'
  > {
  /** Counts a connection until the answered function is called; undefined: it is refused. */
  admit(accepted: Socket): (() => void) | undefined
  /** What arriving bodies and requests that were sent ahead may hold. */
  readonly budget: UnauthenticatedBudget
}

/** What is served before Node's HTTP server sees a connection. */
export interface Front {
  /** Closes all connections, and from here on every new one. */
  closeAllConnections(): void
}

/**
 * Reads the connections of a server before its HTTP parser does. Most calls of a busy service are
 * plain puts over a kept connection, and Node's general request and response objects cost several
 * times what reading such a call takes.
 */
export function openFront(server: Server, event: ConnectionEvent, deps: FrontOptions): Front {
  // These are Node's own: calling them hands a connection to TLS, or to the HTTP server.
  const secure = event === 'secureConnection' ? takeListeners(server, 'connection') : undefined
  const sockets = new Set<Socket>()
  let isClosed = false
  const shared: FrontDeps = {
    ...deps,
    memory: new BodyMemory(deps.budget),
    shared: Buffer.allocUnsafeSlow(SHARED_BYTES),
    openGate: gateMessages(server, takeListeners(server, event), deps.budget),
  }
  const track = (socket: Socket): void => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  }
  const begin = (accepted: Socket): Socket => {
    const { socket } = new FrontConnection(accepted, shared)
    track(socket)
    return socket
  }
  server.on('connection', (raw: Socket) => {
    const leave = isClosed ? undefined : deps.admit(raw)
    if (leave === undefined) {
      raw.destroy()
      return
    }
    if (secure === undefined) {
      begin(raw).once('close', leave)
      return
    }
    raw.once('close', leave)
    // Who never begins with TLS is known to nobody else, and would hold up the server's end.
    track(raw)
    secure(raw)
  })
  if (secure !== undefined) {
    server.on(event, (accepted: Socket) => (isClosed ? accepted.destroy() : begin(accepted)))
  }
  return {
    closeAllConnections: () => {
      isClosed = true
      deps.silences.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

type ConnectionEvent = 'connection' | 'secureConnection'

/** Removes the listeners of an event. The returned function calls them. */
function takeListeners(server: Server, event: ConnectionEvent): (socket: Socket) => void {
  const listeners = server.listeners(event)
  server.removeAllListeners(event)
  return (socket) => {
    for (const listener of listeners) listener.call(server, socket)
  }
}
