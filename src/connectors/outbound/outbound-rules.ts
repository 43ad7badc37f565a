/**
 * Where the service may connect to when a user says so. A person who may write a connection must not reach
 * what only this machine can: itself, its link, and the addresses at which clouds hand out credentials.
 * Private networks are where databases live and stay open, unless the operator denies them.
 */
import { isIP, isIPv4 } from 'node:net'
import { networkInterfaces } from 'node:os'
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
  ['not a unicast address', new IpList(['224.0.0.0/4', '240.0.0.0/4', 'ff00::/8'])],
]

/** The lists of the operator: host names, addresses, and CIDR ranges. */
export interface OutboundLists {
  /** WEIR_OUTBOUND_ALLOW */
  readonly allow: readonly string[]
  /** WEIR_OUTBOUND_DENY; wins over `allow` */
  readonly deny: readonly string[]
}

/** Why a host cannot be reached at an address, as the end of a sentence that begins with the address. */
type OutboundRefusal = string

/** Decides which addresses may be connected to. */
export class OutboundRules {
  /** The lists of the operator, from which another thread makes the same rules. */
  readonly lists: OutboundLists
  readonly #allowed: HostList
  readonly #denied: HostList
  readonly #ownAddresses: () => readonly string[]

  constructor(
    { allow = [], deny = [] }: Partial<OutboundLists> = {},
    ownAddresses = interfaceAddresses,
  ) {
    this.lists = { allow, deny }
    this.#allowed = new HostList(allow)
    this.#denied = new HostList(deny)
    this.#ownAddresses = ownAddresses
  }

  /** What keeps a host from being reached at an address, or undefined when nothing does. */
  findRefusal(host: string, address: string): OutboundRefusal | undefined {
    if (isIP(address) === 0) return 'not an IP address'
    const spellings = spellingsOf(address)
    if (this.#denied.includes(host, spellings)) {
      return 'blocked by the operator (WEIR_OUTBOUND_DENY)'
    }
    if (this.#allowed.includes(host, spellings)) return undefined
    const what = findRefused(spellings) ?? this.#findOwn(spellings)
    if (what === undefined) return undefined
    return `${what}. The operator of this service can allow it with WEIR_OUTBOUND_ALLOW`
  }

  /** The interfaces are read each time: addresses come and go while the service runs. */
  #findOwn(spellings: readonly string[]): string | undefined {
    const own = new Set(this.#ownAddresses().flatMap(spellingsOf))
    return spellings.some((one) => own.has(one)) ? 'an address of this machine' : undefined
  }
}

/** Hosts, addresses, and ranges of one list. */
class HostList {
  readonly #hosts: ReadonlySet<string>
  readonly #ranges: IpList | undefined

  constructor(items: readonly string[]) {
    const isRange = (item: string) => findIpMistake(item) === undefined
    const ranges = items.filter(isRange).map(normalizeRange)
    this.#hosts = new Set(items.filter((item) => !isRange(item)).map(hostKey))
    this.#ranges = ranges.length === 0 ? undefined : new IpList(ranges)
  }

  includes(host: string, spellings: readonly string[]): boolean {
    if (this.#hosts.has(hostKey(host))) return true
    return spellings.some((spelling) => this.#ranges?.includes(spelling) === true)
  }
}

function findRefused(spellings: readonly string[]): string | undefined {
  const found = REFUSED.find(([, ranges]) =>
    spellings.some((spelling) => ranges.includes(spelling)),
  )
  return found?.[0]
}

/** An address in its usual spelling, and the IPv4 address that it carries. */
function spellingsOf(address: string): string[] {
  return [normalizeAddress(address), embeddedIpv4(address)].filter(
    (spelling) => spelling !== undefined,
  )
}

function interfaceAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((interfaces) =>
    (interfaces ?? []).map(({ address }) => address),
  )
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
