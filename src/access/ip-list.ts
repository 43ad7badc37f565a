import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net'

/** The addresses a credential may be used from; one without any address is open to all. */
export class IpList {
  readonly #items: readonly string[]
  readonly #ranges: BlockList | undefined

  /** Takes addresses and CIDR ranges that `findIpMistake` has nothing to say about. */
  constructor(items: readonly string[]) {
    this.#items = items
    if (items.length === 0) return
    this.#ranges = new BlockList()
    for (const item of items) addRange(this.#ranges, item)
  }

  /** Whether a peer at the address may use the credential. */
  includes(address: string): boolean {
    if (this.#ranges === undefined) return true
    const plain = normalizeAddress(address)
    const version = isIP(plain)
    return version !== 0 && this.#ranges.check(plain, version === 4 ? 'ipv4' : 'ipv6')
  }

  /** Whether all that another list lets in is let in by this one. */
  covers(other: IpList): boolean {
    return this.coversList(other.#items)
  }

  /** Whether each item of another list lies within one of this list; an empty one is everywhere. */
  coversList(items: readonly string[]): boolean {
    if (this.#items.length === 0) return true
    return items.length > 0 && items.every((item) => this.#items.some((own) => isWithin(item, own)))
  }
}

/** What is wrong with an item of an IP list, or undefined when it can be used. */
export function findIpMistake(item: string): string | undefined {
  const [address, prefix, ...rest] = item.split('/')
  const version = isIP(address)
  if (version === 0 || rest.length > 0 || address.includes('%')) {
    return `must be an IP address or a CIDR range, such as 192.0.2.7 or 2001:db8::/32, got "${item}"`
  }
  if (prefix === undefined) return undefined
  const bitsMax = version === 4 ? 32 : 128
  if (!/^\d{1,3}$/.test(prefix) || Number(prefix) > bitsMax) {
    return `must have a prefix length from 0 to ${bitsMax} after the slash, got "${item}"`
  }
  return undefined
}

/**
 * An address in its one spelling, so that texts can be compared: IPv4 carried in IPv6 becomes IPv4, IPv6
 * is in small letters and short, a zone index goes. What is no address stays as it is.
 */
export function normalizeAddress(address: string): string {
  const mapped = address.startsWith('::ffff:') ? address.slice(7) : address
  if (isIPv4(mapped)) return mapped
  const zoneAt = address.indexOf('%')
  const plain = zoneAt < 0 ? address : address.slice(0, zoneAt)
  const short = isIPv6(plain) ? URL.parse(`http://[${plain}]/`)?.hostname.slice(1, -1) : plain
  if (short === undefined) return plain
  const groups = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(short)
  if (groups === null) return short
  const bytes = groups.slice(1).map((group) => Number.parseInt(group, 16))
  return bytes.map((pair) => `${pair >> 8}.${pair & 255}`).join('.')
}

function isWithin(item: string, own: string): boolean {
  const [address, prefix = '128'] = item.split('/')
  const [ownAddress, ownPrefix = isIPv4(ownAddress) ? '32' : '128'] = own.split('/')
  if (isIPv4(address) !== isIPv4(ownAddress) || Number(prefix) < Number(ownPrefix)) return false
  const range = new BlockList()
  addRange(range, own)
  return range.check(address, isIPv4(address) ? 'ipv4' : 'ipv6')
}

function addRange(ranges: BlockList, item: string): void {
  const [address, prefix] = item.split('/')
  const family = isIPv4(address) ? 'ipv4' : 'ipv6'
  if (prefix === undefined) ranges.addAddress(address, family)
  else ranges.addSubnet(address, Number(prefix), family)
}
