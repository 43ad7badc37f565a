import { type Address, Connection } from './connection.ts'

/** How a load is driven: closed loops, each connection sending when its answer has come. */
export interface Load {
  readonly connections: number
  /** Ends the load; whichever of both comes first. */
  readonly secondsMax: number
  readonly callsMax: number
  /** The next request of a connection; its bytes are not touched until the answer is there. */
  next(connection: number): Uint8Array
}

/** What a load has shown. */
export interface Outcome {
  readonly calls: number
  readonly seconds: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** The generator's own share of one core: near 1 it was the bottleneck. */
  readonly generatorShare: number
}

/** Drives a load against a service; an answer other than 2xx ends it with an error. */
export async function drive(address: Address, load: Load): Promise<Outcome> {
  const connections = await Promise.all(
    Array.from({ length: load.connections }, () => Connection.open(address)),
  )
  const latencies: number[] = []
  const cpuBefore = process.cpuUsage()
  const began = performance.now()
  const end = began + load.secondsMax * 1_000
  let calls = 0
  const loop = async (connection: Connection, number: number): Promise<void> => {
    while (calls < load.callsMax) {
      const sent = performance.now()
      if (sent >= end) return
      calls += 1
      const { status, body } = await connection.send(load.next(number))
      if (status < 200 || status > 299) {
        throw new Error(`the service answered ${status}: ${body.toString('utf8', 0, 300)}`)
      }
      latencies.push(performance.now() - sent)
    }
  }
  try {
    await Promise.all(connections.map(loop))
  } finally {
    for (const connection of connections) connection.close()
  }
  const seconds = (performance.now() - began) / 1_000
  const cpu = process.cpuUsage(cpuBefore)
  const generatorShare = (cpu.user + cpu.system) / 1e6 / seconds
  return { calls: latencies.length, seconds, generatorShare, ...percentilesOf(latencies) }
}

/** The median and the 99th percentile of latencies, which it sorts. */
export function percentilesOf(latencies: number[]): { p50Ms: number; p99Ms: number } {
  latencies.sort((left, right) => left - right)
  const at = (share: number) => latencies[Math.floor((latencies.length - 1) * share)] ?? 0
  return { p50Ms: at(0.5), p99Ms: at(0.99) }
}

/** Times requests one after the other on one connection, after a few that warm up. */
export async function time(
  address: Address,
  requests: readonly Uint8Array[],
  options: { readonly calls: number; readonly secondsMax: number },
): Promise<Outcome> {
  const load = (callsMax: number, secondsMax: number): Load => {
    let at = 0
    return { connections: 1, secondsMax, callsMax, next: () => requests[at++ % requests.length] }
  }
  await drive(address, load(Math.ceil(options.calls / 5), options.secondsMax / 4))
  return drive(address, load(options.calls, options.secondsMax))
}
