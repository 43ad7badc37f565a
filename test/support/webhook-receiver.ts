import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { comesTrue } from './settle.ts'

/** A request that a receiver got, whole. */
export interface Received {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** How a receiver behaves: a status, a status with headers, a request that it never answers, or a connection that it cuts. */
export type Behavior =
  | number
  | { readonly status: number; readonly headers?: Record<string, string>; readonly body?: string }
  | 'hang'
  | 'disconnect'
  | 'endless'

/** A webhook receiver over real HTTP that counts what it gets. */
export interface WebhookReceiver {
  readonly url: string
  readonly received: readonly Received[]
  /** How it answers the request of a number, counted from 0. */
  behave: (at: number, request: Received) => Behavior
  /** Stands between a request and its answer, which is on its way when `answer` resolves. */
  intercept: (request: Received, answer: () => Promise<void>) => Promise<void>
  /** Resolves when it has got as many requests. */
  atLeast(count: number): Promise<void>
  close(): Promise<void>
}

/** Starts a receiver on the loopback interface. It answers 200 unless the test says otherwise. */
export async function startReceiver(): Promise<WebhookReceiver> {
  const received: Received[] = []
  const sockets = new Set<Socket>()
  const server = createServer(async (asked, response) => {
    const pieces: Buffer[] = []
    try {
      for await (const piece of asked) pieces.push(piece as Buffer)
    } catch {
      return
    }
    const { url: path = '', headers } = asked
    const request = { path, headers, body: Buffer.concat(pieces).toString('utf8') }
    received.push(request)
    const behavior = receiver.behave(received.length - 1, request)
    await receiver.intercept(request, async () => {
      perform(behavior, response)
      const { promise, resolve } = Promise.withResolvers<void>()
      response.once('close', resolve)
      if (response.writableEnded && !response.destroyed) await promise
    })
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const receiver: WebhookReceiver = {
    url: `http://127.0.0.1:${port}`,
    received,
    behave: () => 200,
    intercept: (_request, answer) => answer(),
    atLeast: (count) => comesTrue(() => received.length >= count),
    close: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
  return receiver
}

function perform(behavior: Behavior, response: ServerResponse): void {
  if (behavior === 'hang') return
  if (behavior === 'disconnect') response.socket?.destroy()
  else if (behavior === 'endless') {
    response.writeHead(500)
    const more = () => {
      while (!response.destroyed && response.write('x'.repeat(65_536)));
    }
    response.on('drain', more)
    more()
  } else {
    const {
      status,
      headers = {},
      body = '',
    } = typeof behavior === 'number' ? { status: behavior } : behavior
    response.writeHead(status, headers).end(body)
  }
}
