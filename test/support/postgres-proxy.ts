/** A way to a PostgreSQL server that loses answers or breaks off when a test says so. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export interface PostgresProxy {
  readonly port: number
  /** Breaks the connection off when the server answers the next COMMIT, and keeps the answer; resolves then. */
  loseNextCommit(): Promise<void>
  /** Breaks the connection off before the next COMMIT gets to the server; resolves then. */
  loseNextRequest(): Promise<void>
  /** Breaks all connections off. */
  cut(): void
  /** Keeps connections open but carries nothing, as a server that hangs. */
  halt(isHalted: boolean): void
  close(): void
}

/** The end of the server's message that a transaction is committed. */
const COMMITTED = Buffer.from('COMMIT\0')

export async function startPostgresProxy(serverPort: number): Promise<PostgresProxy> {
  const sockets = new Set<Socket>()
  const waiting: { answer?: () => void; request?: () => void } = {}
  const wait = (name: 'answer' | 'request') =>
    new Promise<void>((resolve) => {
      waiting[name] = resolve
    })
  const server = createServer((client) => {
    const upstream = connect(serverPort, '127.0.0.1')
    const end = (name: 'answer' | 'request') => {
      waiting[name]?.()
      waiting[name] = undefined
      client.destroy()
      upstream.destroy()
    }
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        client.destroy()
        upstream.destroy()
      })
    }
    client.on('data', (part: Buffer) => {
      if (waiting.request !== undefined && part.includes(COMMITTED)) end('request')
      else upstream.write(part)
    })
    upstream.on('data', (part: Buffer) => {
      if (waiting.answer !== undefined && part.includes(COMMITTED)) end('answer')
      else client.write(part)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    port: (server.address() as AddressInfo).port,
    loseNextCommit: () => wait('answer'),
    loseNextRequest: () => wait('request'),
    cut,
    halt: (isHalted) => {
      for (const socket of sockets) {
        if (isHalted) socket.pause()
        else socket.resume()
      }
    },
    close: () => {
      server.close()
      cut()
    },
  }
}
