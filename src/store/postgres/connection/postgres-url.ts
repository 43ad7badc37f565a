import { StoreUnusable } from '../../ports/store-unusable.ts'

const SCHEME = /^postgres(?:ql)?:\/\//i
/** An IPv6 address stands in brackets. */
const HOST = /^(?:\[[^\]]+\]|[^:,@[\]]+)(?::\d{1,5})?$/

/** What may stand behind the database. */
const OPTIONS = [
  'sslmode',
  'sslrootcert',
  'sslcert',
  'sslkey',
  'options',
  'application_name',
  'connect_timeout',
  'target_session_attrs',
]
const SSL_MODES = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify']

/**
 * One URL for each host of a URL with several, such as `postgres://weir@db1:5432,db2/weir?sslmode=verify-full`. Hosts
 * without a port have 5432. Throws StoreUnusable for a text that is no such URL, without repeating it: it may hold a
 * password.
 */
export function urlsOfHosts(text: string): string[] {
  const url = text.trim()
  const scheme = SCHEME.exec(url)?.[0] ?? ''
  const rest = url.slice(scheme.length)
  const slash = rest.indexOf('/')
  const hostsFrom = rest.lastIndexOf('@', slash) + 1
  const hosts = rest.slice(hostsFrom, slash).split(',')
  const after = rest.slice(slash)
  const hasDatabase = /^\/[^/?#]/.test(after)
  if (scheme === '' || slash < 0 || !hasDatabase || hosts.some((host) => !HOST.test(host))) {
    throw new StoreUnusable(
      'settings',
      'WEIR_POSTGRES_URL must be a URL such as postgres://user:password@host1,host2:5433/database',
    )
  }
  requireOptions(after)
  const before = scheme + rest.slice(0, hostsFrom)
  return hosts.map((host) => `${before}${host}${withoutTarget(after)}`)
}

/** Refuses options that nobody would heed, above all a misspelt `sslmode`. */
function requireOptions(after: string): void {
  const query = new URLSearchParams(after.split('?', 2)[1])
  for (const [name, value] of query) {
    if (!OPTIONS.includes(name)) {
      const what = `WEIR_POSTGRES_URL has the unknown option "${name}": known are ${OPTIONS.join(', ')}`
      throw new StoreUnusable('settings', what)
    }
    if (name === 'sslmode' && !SSL_MODES.includes(value)) {
      const what = `WEIR_POSTGRES_URL has the unknown sslmode "${value}": known are ${SSL_MODES.join(', ')}`
      throw new StoreUnusable('settings', what)
    }
  }
}

/** Without libpq's option for the choice of the host, which this adapter makes by itself. */
function withoutTarget(after: string): string {
  const [path, query] = after.split('?', 2)
  const options = (query ?? '').split('&').filter((one) => !one.startsWith('target_session_attrs='))
  const kept = options.filter((one) => one !== '').join('&')
  return kept === '' ? path : `${path}?${kept}`
}
