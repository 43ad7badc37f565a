import { isIPv6 } from 'node:net'
import { normalizeAddress } from '../../access/index.ts'

/**
 * The IPv4 address that a packet to an IPv6 address ends at, or undefined when it carries none: mapped,
 * compatible, NAT64 and 6to4 addresses are other spellings of the IPv4 address they hold.
 */
export function embeddedIpv4(address: string): string | undefined {
  const plain = normalizeAddress(address)
  if (!isIPv6(plain)) return undefined
  const groups = groupsOf(plain)
  const [first, second] = groups
  const startsWith = (...start: readonly number[]) =>
    start.every((group, at) => groups[at] === group)
  // ::1 and :: are addresses of their own, which hold nothing.
  const isCompatible = startsWith(0, 0, 0, 0, 0, 0) && groups[6] !== 0
  const isMapped = startsWith(0, 0, 0, 0, 0, 0xffff) || startsWith(0, 0, 0, 0, 0xffff, 0)
  const isNat64 = startsWith(0x64, 0xff9b, 0, 0, 0, 0) || startsWith(0x64, 0xff9b, 1)
  if (isCompatible || isMapped || isNat64) return ipv4Of(groups[6], groups[7])
  return first === 0x2002 ? ipv4Of(second, groups[2]) : undefined
}

function ipv4Of(high: number, low: number): string {
  return [high >> 8, high & 255, low >> 8, low & 255].join('.')
}

/** The eight groups of an address in its short spelling, which has no dots but in mapped ones. */
function groupsOf(address: string): number[] {
  const [head, tail] = address.split('::')
  const read = (text: string | undefined) =>
    text === undefined || text === ''
      ? []
      : text.split(':').map((group) => Number.parseInt(group, 16))
  const start = read(head)
  const end = read(tail)
  const zeros = Array.from({ length: 8 - start.length - end.length }, () => 0)
  return [...start, ...zeros, ...end]
}
