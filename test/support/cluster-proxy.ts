/** Proxies for the nodes of a cluster, on their own addresses and another port, each of which can be cut, halted, and restored. */
import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { freeClusterPort, TEST_HOSTS } from './cassandra-nodes.ts'

/** Ways that are open until they are cut; what names no node is done to all. */
export interface ClusterProxy {
  readonly port: number
  /** Breaks all connections off and takes no more. */
  cut(node?: number): void
  /** Takes connections again. */
  repair(node?: number): Promise<void>
  /** Keeps connections and takes more, but carries nothing, as a node that hangs does. */
  halt(node: number): void
  /** Carries what was kept waiting, and all that comes. */
  goOn(node: number): void
  close(): void
}

/** Opens the ways to the nodes that listen on a port; a text that a client sends may cut them. */
export async function startClusterProxy(nodePort: number, cutAt?: string): Promise<ClusterProxy> {
  const port = await freeClusterPort()
  const ways = TEST_HOSTS.map((host) => new Way(host, { nodePort, port }))
  const chosen = (node?: number) => (node === undefined ? ways : [ways[node]])
  const cut = (node?: number) => {
    for (const way of chosen(node)) way.cut()
  }
  for (const way of ways) {
    way.onSent = (part) => {
      if (cutAt !== undefined && part.includes(cutAt)) cut()
    }
  }
  const repair = async (node?: number) => {
    await Promise.all(chosen(node).map((way) => way.repair()))
  }
  await repair()
  return {
    port,
    cut,
    repair,
    halt: (node) => ways[node].halt(),
    goOn: (node) => ways[node].goOn(),
    close: cut,
  }
}

/** The way to one node. */
class Way {
  readonly #host: string
  readonly #ports: { readonly nodePort: number; readonly port: number }
  readonly #sockets = new Set<Socket>()
  #server: Server | undefined
  #isHalted = false
  /** Called with everything that clients send. */
  onSent: (part: Buffer) => void = () => {}

  constructor(host: string, ports: { readonly nodePort: number; readonly port: number }) {
    this.#host = host
    this.#ports = ports
  }

  async repair(): Promise<void> {
    const server = createServer((client) => {
      // One that was accepted before the cut and is reported after it.
      if (this.#server !== server) client.destroy()
      else this.#join(client, connect(this.#ports.nodePort, this.#host))
    })
    this.#server = server
    await once(server.listen(this.#ports.port, this.#host), 'listening')
  }

  cut(): void {
    this.#server?.close()
    this.#server = undefined
    for (const socket of this.#sockets) socket.destroy()
  }

  halt(): void {
    this.#isHalted = true
    for (const socket of this.#sockets) socket.pause()
  }

  goOn(): void {
    this.#isHalted = false
    for (const socket of this.#sockets) socket.resume()
  }

  #join(client: Socket, node: Socket): void {
    for (const [from, to] of [
      [client, node],
      [node, client],
    ]) {
      this.#sockets.add(from)
      from.on('error', () => {})
      from.on('close', () => {
        this.#sockets.delete(from)
        to.destroy()
      })
      from.on('data', (part: Buffer) => {
        if (from === client) this.onSent(part)
        if (to.write(part)) return
        from.pause()
        to.once('drain', () => {
          if (!this.#isHalted) from.resume()
        })
      })
      if (this.#isHalted) from.pause()
    }
  }
}
