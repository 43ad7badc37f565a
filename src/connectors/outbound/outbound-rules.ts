/**
 * Where the service may connect to when a user says so. Whoever may write a connection must not reach
 * what only this machine can: itself, its link, and the addresses at which clouds hand out credentials.
 * Private networks are where databases live and stay open.
 */
import { isIP, isIPv4 } from 'node:net'
import { findIpMistake, IpList, normalizeAddress } from '../../access/index.ts'
import { embeddedIpv4 } from './embedded-address.ts'

/** Why an address is refused, by its ranges. */
const REFUSED: readonly (readonly [what: string, ranges: IpList])[] = [
  ['a metadata address', new IpList(['169.254.169.254', '169.254.170.2', '169.254.170.23'])],
  ['a metadata address', new IpList(['168.63.129.16', '100.100.100.200', '192.0.0.192'])],
  ['a metadata address', new IpList(['fd00:ec2::254', 'fd00:ec2::23', 'fd20:ce::254'])],
  ['a loopback address', new IpList(['127.0.0.0/8', '::1'])],
  // Systems take the unspecified address for their own.
  ['a loopback address', new IpList(['0.0.0.0/8', '::'])],
  ['a link-local address', new IpList(['169.254.0.0/16', 'fe80::/10'])],
  ['no address of one host', new IpList(['224.0.0.0/4', '240.0.0.0/4', 'ff00::/8'])],
]

/** The addresses that are refused and the hosts, addresses and ranges that the operator lets in nevertheless. */
export class OutboundRules {
  /** The lists of the operator, from which another thread makes the same rules. */
  readonly lists: { readonly allow: readonly string[] }
  readonly #hosts: ReadonlySet<string>
  readonly #ranges: IpList | undefined

  /** Takes what WEIR_OUTBOUND_ALLOW lists: host names, addresses and CIDR ranges. */
  constructor(allowed: readonly string[] = []) {
    this.lists = { allow: allowed }
    const isRange = (item: string) => findIpMistake(item) === undefined
    const ranges = allowed.filter(isRange).map(normalizeRange)
    this.#hosts = new Set(allowed.filter((item) => !isRange(item)).map(hostKey))
    this.#ranges = ranges.length === 0 ? undefined : new IpList(ranges)
  }

  /** What keeps a host from being reached at an address, or undefined when nothing does. */
  findRefusal(host: string, address: string): string | undefined {
    if (isIP(address) === 0) return 'no address'
    if (this.#hosts.has(hostKey(host))) return undefined
    const spellings = [normalizeAddress(address), embeddedIpv4(address)].filter(
      (spelling) => spelling !== undefined,
    )
    if (spellings.some((spelling) => this.#ranges?.includes(spelling))) return undefined
    const found = REFUSED.find(([, ranges]) =>
      spellings.some((spelling) => ranges.includes(spelling)),
    )
    return found?.[0]
  }
}

/** Host names are compared without case and without the dot that ends a full one. */
function hostKey(host: string): string {
  return host.toLowerCase().replace(/\.$/, '')
}

/** A range over IPv4 that is written as IPv6 means the IPv4 range. */
function normalizeRange(item: string): string {
  const [address, prefix] = item.split('/')
  const plain = normalizeAddress(address)
  if (prefix === undefined) return plain
  const isCarried = isIPv4(plain) && !isIPv4(address)
  return isCarried && Number(prefix) >= 96 ? `${plain}/${Number(prefix) - 96}` : item
}
