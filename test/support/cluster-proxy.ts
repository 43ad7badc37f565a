/** The way to the nodes of a cluster, on their own addresses and another port, which can be cut and mended. */
import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { CASSANDRA_HOSTS, freeClusterPort } from './cassandra-nodes.ts'

/** A way that is open until it is cut. */
export interface ClusterProxy {
  readonly port: number
  /** Breaks all connections off and takes no more. */
  cut(): void
  /** Takes connections again. */
  mend(): Promise<void>
  close(): void
}

/** Opens the way to the nodes that listen on a port; a text that a client sends may cut it. */
export async function startClusterProxy(nodePort: number, cutAt?: string): Promise<ClusterProxy> {
  const port = await freeClusterPort()
  const sockets = new Set<Socket>()
  let servers: Server[] = []
  let isCut = true
  const mend = async () => {
    isCut = false
    servers = CASSANDRA_HOSTS.map((host) =>
      createServer((client) => {
        // One that was taken before the cut and is told of after it.
        if (isCut) client.destroy()
        else {
          client.on('data', (part: Buffer) => {
            if (cutAt !== undefined && part.includes(cutAt)) cut()
          })
          join(client, connect(nodePort, host), sockets)
        }
      }).listen(port, host),
    )
    await Promise.all(servers.map((server) => once(server, 'listening')))
  }
  const cut = () => {
    isCut = true
    for (const server of servers) server.close()
    for (const socket of sockets) socket.destroy()
  }
  await mend()
  return { port, cut, mend, close: cut }
}

function join(client: Socket, node: Socket, sockets: Set<Socket>): void {
  for (const socket of [client, node]) {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => {
      sockets.delete(socket)
      client.destroy()
      node.destroy()
    })
  }
  client.pipe(node)
  node.pipe(client)
}
