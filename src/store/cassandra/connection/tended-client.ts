/**
 * A client of the driver that can be shut down cleanly. After an outage of all nodes, version 4 of the driver creates a
 * second object per node and forgets the first one with its timers. From then on it reconnects twice. It also keeps a
 * connection that was being opened during shutdown.
 */
import { setTimeout as pause } from 'node:timers/promises'
import cassandra from 'cassandra-driver'

/** What is open after this is closed without being waited for. */
const SHUTDOWN_MS_MAX = 5_000

interface Connection {
  close(): void
}

/** A node as the driver has it: `shutdown` is what its types leave out. */
interface Node {
  shutdown(waitsForPending: boolean): Promise<void>
}

/** The connection by which the driver hears of nodes, as far as it has to be tended. */
interface ControlConnection {
  connection: Connection | null
  shutdown(): void
  _refresh(hosts?: unknown): Promise<void>
  _createConnection(place: string): Promise<Connection>
}

/** A client, and how it is ended. */
export interface TendedClient {
  readonly client: cassandra.Client
  /** Ends every connection and timer within a bounded time; calls that are under way are refused. */
  end(): Promise<void>
}

/** Makes a client that is not connected yet. */
export function tendClient(options: cassandra.ClientOptions): TendedClient {
  const client = new cassandra.Client(options)
  const { controlConnection: control } = client as unknown as {
    controlConnection: ControlConnection
  }
  let isEnded = false
  refreshOnceAtATime(control)
  const create = control._createConnection.bind(control)
  control._createConnection = async (place) => {
    const connection = await create(place)
    if (!isEnded) return connection
    connection.close()
    throw new Error('The client has ended')
  }
  client.on('hostRemove', (host) => void endNode(host))
  return {
    client,
    end: async () => {
      isEnded = true
      const nodes = [...(client.hosts?.values() ?? [])]
      const waiting = new AbortController()
      const ended = client.shutdown().catch(() => {})
      await Promise.race([ended, pause(SHUTDOWN_MS_MAX, undefined, waiting)])
      waiting.abort()
      // Whatever is left of a client that never got connected, or that was about to be connected again.
      control.shutdown()
      control.connection?.close()
      for (const node of nodes.concat(client.hosts?.values() ?? [])) void endNode(node)
    },
  }
}

/** Every call to connect again shares the one that is under way, each of which would else go on by itself for ever. */
function refreshOnceAtATime(control: ControlConnection): void {
  const refresh = control._refresh.bind(control)
  let running: Promise<void> | undefined
  control._refresh = (hosts) => {
    // With nodes it is the one under way itself, which tries the next of them.
    if (hosts !== undefined) return refresh(hosts)
    running ??= refresh().finally(() => {
      running = undefined
    })
    return running
  }
}

async function endNode(host: unknown): Promise<void> {
  await (host as Node).shutdown(false).catch(() => {})
}
