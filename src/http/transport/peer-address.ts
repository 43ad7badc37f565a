import { isIP, type Socket } from 'node:net'
import { IpList, normalizeAddress } from '../../access/index.ts'
import type { RequestHead } from './exchange.ts'

/**
 * Returns a caller's address. X-Forwarded-For is believed only when the peer is a trusted proxy: then
 * it is the last entry that is not one itself.
 */
export function peerAddressReader(trustedProxies: readonly string[]): (req: RequestHead) => string {
  // A connection brings many requests and keeps its address; asking the system costs microseconds.
  const known = new WeakMap<Socket, string>()
  const peerOf = ({ socket }: RequestHead) => {
    let address = known.get(socket)
    if (address === undefined) {
      address = normalizeAddress(socket.remoteAddress ?? '')
      known.set(socket, address)
    }
    return address
  }
  if (trustedProxies.length === 0) return peerOf
  const trusted = new IpList(trustedProxies)
  return (req) => {
    const peer = peerOf(req)
    const forwarded = req.headers['x-forwarded-for']
    if (forwarded === undefined || !trusted.includes(peer)) return peer
    const hops = String(forwarded).split(',').map(readHop)
    let address = peer
    // From the nearest hop outwards; what an untrusted hop claims about those before it is hearsay.
    for (const hop of hops.reverse()) {
      if (isIP(hop) === 0) break
      address = hop
      if (!trusted.includes(hop)) break
    }
    return address
  }
}

/**
 * An X-Forwarded-For header with each address in its one spelling, so that a port or a way of writing
 * does not make another caller of the same one; texts that are no addresses stay.
 */
export function normalizeForwarded(text: string): string {
  return text.split(',').map(readHop).join(', ')
}

/** Proxies write addresses plain, in quotes, in brackets, and with the port they saw. */
function readHop(hop: string): string {
  const text = hop.trim()
  const unquoted = /^"(.*)"$/.exec(text)?.[1] ?? text
  const bare =
    /^\[([^\]]*)\](?::\d{1,5})?$/.exec(unquoted)?.[1] ??
    /^([\d.]+):\d{1,5}$/.exec(unquoted)?.[1] ??
    unquoted
  const address = normalizeAddress(bare)
  return isIP(address) === 0 ? text : address
}
