import { isIPv6 } from 'node:net'

/** Whom an address belongs to, for counting: IPv4 as it is, of IPv6 the /64 that one customer gets. */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address
  const [head, tail] = address.split('::')
  const first = groupsOf(head)
  const last = groupsOf(tail ?? '')
  const groups = [...first, ...Array(Math.max(0, 8 - first.length - last.length)).fill(0), ...last]
  const prefix = groups.slice(0, 4).map((group: number) => group.toString(16))
  return `${prefix.join(':')}::/64`
}

function groupsOf(text: string): number[] {
  if (text === '') return []
  // An IPv4 address at the end stands for two groups; which ones does not matter beyond /64.
  return text
    .split(':')
    .flatMap((group) => (group.includes('.') ? [0, 0] : [Number.parseInt(group, 16)]))
}
