/** The only way out: a host is resolved once, each address is judged, and the connection goes to that address. */
import { lookup } from 'node:dns/promises'
import { connect, type Socket } from 'node:net'
import { OutboundFailure } from './outbound-failure.ts'
import type { OutboundRules } from './outbound-rules.ts'

/** Where to, and how long it may take. */
interface OutboundTarget {
  readonly host: string
  readonly port: number
  /** Ends the attempt, whatever it is at. */
  readonly signal: AbortSignal
}

/** Addresses of one host that are tried, one after the other. */
const ADDRESSES_MAX = 8

/** How names become addresses; tests give their own. */
export type Resolve = (host: string) => Promise<readonly { readonly address: string }[]>

const systemResolve: Resolve = (host) => lookup(host, { all: true, verbatim: true })

/** The addresses at which a host may be reached; throws an OutboundFailure when there is none. */
export async function resolveOutbound(
  rules: OutboundRules,
  { host, signal }: Omit<OutboundTarget, 'port'>,
  resolve: Resolve = systemResolve,
): Promise<readonly string[]> {
  const found = await unlessAborted(signal, resolve(host)).catch((error: unknown) => {
    if (signal.aborted) throw new OutboundFailure('timeout', `The DNS lookup of ${host} timed out`)
    const { code = 'unknown' } = error as { code?: string }
    throw new OutboundFailure('unknown_host', `Cannot find the host ${host} (${code})`)
  })
  const addresses = found.map(({ address }) => address).slice(0, ADDRESSES_MAX)
  const permitted = addresses.filter((address) => rules.findRefusal(host, address) === undefined)
  if (permitted.length > 0) return permitted
  const [first] = addresses
  if (first === undefined) throw new OutboundFailure('unknown_host', `${host} has no IP address`)
  const named = first === host ? host : `${host} (${first})`
  const what = rules.findRefusal(host, first)
  throw new OutboundFailure('not_allowed', `${named} is ${what}`)
}

/** A connected socket to the first address of a host that answers; throws an OutboundFailure. */
export async function connectOutbound(
  rules: OutboundRules,
  target: OutboundTarget,
  resolve?: Resolve,
): Promise<Socket> {
  const addresses = await resolveOutbound(rules, target, resolve)
  let failure: OutboundFailure | undefined
  for (const address of addresses) {
    try {
      return await connectTo(address, target)
    } catch (error) {
      if (!(error instanceof OutboundFailure)) throw error
      failure = error
      if (target.signal.aborted) break
    }
  }
  throw failure
}

async function connectTo(address: string, target: OutboundTarget): Promise<Socket> {
  const { host, port, signal } = target
  const place = `${host}:${port}`
  const { promise, resolve, reject } = Promise.withResolvers<Socket>()
  const socket = connect({ host: address, port, noDelay: true, keepAlive: true })
  const onAbort = () => {
    reject(new OutboundFailure('timeout', `The connection to ${place} timed out`))
    socket.destroy()
  }
  const onError = (error: NodeJS.ErrnoException) => {
    const refused = error.code === 'ECONNREFUSED' ? `${place} refused the connection` : undefined
    const what = refused ?? `Cannot connect to ${place} (${error.code ?? error.message})`
    reject(new OutboundFailure(refused === undefined ? 'unreachable' : 'refused', what))
  }
  signal.addEventListener('abort', onAbort, { once: true })
  socket.once('error', onError)
  socket.once('connect', () => resolve(socket))
  if (signal.aborted) onAbort()
  // Until a driver listens, an error of the socket is nobody's, and must not end the process.
  socket.on('error', () => {})
  try {
    return await promise
  } finally {
    signal.removeEventListener('abort', onAbort)
    socket.off('error', onError)
  }
}

/** What a promise gives, unless the signal comes before: looking up a name cannot be ended. */
async function unlessAborted<T>(signal: AbortSignal, promise: Promise<T>): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const onAbort = () => reject(signal.reason)
  if (signal.aborted) onAbort()
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([promise, aborted])
  } finally {
    signal.removeEventListener('abort', onAbort)
    // Whichever comes later must not count as unhandled.
    promise.catch(() => {})
    aborted.catch(() => {})
  }
}
