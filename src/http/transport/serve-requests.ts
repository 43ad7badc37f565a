import type { IncomingMessage, Server } from 'node:http'
import { normalizeAddress } from '../../access/index.ts'
import type { Log, MemoryBudget } from '../../base/index.ts'
import { answerError } from './answer.ts'
import { answerClientError } from './client-error.ts'
import type { ConnectionCount } from './connection-count.ts'
import type { Exchange, FastLookup, Reply, Serve } from './exchange.ts'
import { type Front, openFront } from './front/front.ts'
import { SilenceWatch } from './front/silence-watch.ts'
import { HttpReply, hasUnreadBody } from './http-reply.ts'
import {
  type Handler,
  IDLE_TIMEOUT_MS,
  KEEP_ALIVE_MS,
  openListener,
  type TlsFiles,
} from './listener.ts'
import { type PaceWatch, type Passage, takenBytes, tooSlow } from './pace-watch.ts'
import { withoutPrefix, withSingleSlashes } from './target.ts'
import type { Traffic } from './traffic.ts'

/** What requests are served with. */
interface RequestDeps {
  readonly log: Log
  readonly tls?: TlsFiles
  /** Whom to let in. */
  readonly connections: ConnectionCount
  /** Ends bodies that come too slowly. */
  readonly arrivals: PaceWatch
  /** Ends connections whose answers are read too slowly. */
  readonly departures: PaceWatch
  /** What all calls in flight may hold. */
  readonly budget: MemoryBudget
  /** Says how a request is served. Refuses what cannot be. */
  readonly findServe: (method: string, url: string) => Serve
  /** Taken from the beginning of targets that have it. */
  readonly pathPrefix: string
  /** The same, of what the front serves. */
  readonly findHot: FastLookup
}

/** A server whose requests are served as `findServe` says, those of the front as `findHot` says. */
export function serveRequests(
  deps: RequestDeps,
  traffic: Traffic,
): { readonly server: Server; readonly front: Front } {
  const { log, tls, arrivals, departures, connections, findServe, findHot, pathPrefix } = deps
  const handleOne: Handler = (req, res) => {
    req.url = withoutPrefix(withSingleSlashes(pathOfTarget(req.url ?? '')), pathPrefix)
    const exchange = traffic.begin(req, req, new HttpReply(req, res))
    if (exchange === undefined) return
    if (hasUnreadBody(req)) watchBody(req, exchange.reply, arrivals)
    watchAnswer(req, exchange, departures)
    run(() => findServe(req.method ?? '', req.url ?? '')(exchange), exchange, log)
  }
  const server = openListener(handleOne, tls)
  server.maxConnections = connections.limits.connectionsMax
  server.on('drop', (peer) => connections.refuse(peer?.remoteAddress ?? ''))
  const front = openFront(server, tls === undefined ? 'connection' : 'secureConnection', {
    admit: ({ remoteAddress = '' }) => connections.admit(normalizeAddress(remoteAddress)),
    keepAliveMs: KEEP_ALIVE_MS,
    silences: new SilenceWatch(IDLE_TIMEOUT_MS),
    arrivals,
    departures,
    budget: deps.budget,
    findServe: findHot,
    expect: () => traffic.expect(),
    abandon: () => traffic.abandon(),
    serve: (head, body, reply, isExpected) => {
      const exchange = traffic.begin(head, body, reply, { isExpected })
      if (exchange !== undefined) run(head.serve, exchange, log)
    },
  })
  return { server, front }
}

/** Has a body watched until it has arrived, or its connection is gone. */
function watchBody(req: IncomingMessage, reply: Reply, arrivals: PaceWatch): void {
  const { socket } = req
  const arrival: Passage = {
    get passedBytes() {
      return socket.bytesRead
    },
    isHeldBack: () => req.readableLength > 0,
    giveUp: () => (reply.isOver ? socket.destroy() : answerClientError(tooSlow(), socket)),
  }
  arrivals.begin(arrival)
  req.once('close', () => arrivals.end(arrival))
}

/** Has an answer watched from its first byte to its last. */
function watchAnswer({ socket }: IncomingMessage, exchange: Exchange, departures: PaceWatch): void {
  const departure: Passage = {
    get passedBytes() {
      return takenBytes(socket)
    },
    get heldBytes() {
      return exchange.held?.bytes ?? 0
    },
    isHeldBack: () => socket.writableLength === 0,
    giveUp: () => socket.destroy(),
  }
  departures.begin(departure)
  exchange.reply.onceOver(() => departures.end(departure))
}

function run(serve: Serve, exchange: Exchange, log: Log): void {
  try {
    serve(exchange)
  } catch (error) {
    answerError(exchange, error, log)
  }
}

/** A target may be a whole address (RFC 9112, 3.2.2); only what follows the host matters. */
function pathOfTarget(target: string): string {
  if (target.startsWith('/')) return target
  const path = target.replace(/^https?:\/\/[^/?]*/i, '')
  return path.startsWith('/') ? path : `/${path}`
}
