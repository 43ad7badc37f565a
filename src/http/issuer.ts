import type { TLSSocket } from 'node:tls'
import type { RequestHead } from './transport/exchange.ts'

/** Returns the address under which a caller reaches the service, which is its OAuth issuer too. */
export type IssuerReader = (req: RequestHead) => string

const HOST = /^(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/

/**
 * The configured public address. A branded host name speaks for itself, and without configuration
 * the Host header does, which then only ever comes back to the caller who sent it.
 */
export function issuerReader(options: {
  readonly publicUrl: string | undefined
  readonly brandedHosts: ReadonlySet<string>
}): IssuerReader {
  const { publicUrl, brandedHosts } = options
  return (req) => {
    const host = hostOf(req)
    if (publicUrl !== undefined && !brandedHosts.has(hostNameOf(host))) return publicUrl
    const scheme = publicUrl === undefined ? schemeOf(req) : new URL(publicUrl).protocol
    return `${scheme}//${host}`
  }
}

/** The Host header when it can be one, else the address that was connected to. */
export function hostOf(req: RequestHead): string {
  const given = req.headers.host ?? ''
  if (HOST.test(given)) return given.toLowerCase()
  const { localAddress = '127.0.0.1', localPort = 80 } = req.socket
  return localAddress.includes(':')
    ? `[${localAddress}]:${localPort}`
    : `${localAddress}:${localPort}`
}

/** A host without its port. */
export function hostNameOf(host: string): string {
  return host.replace(/:\d+$/, '')
}

function schemeOf(req: RequestHead): string {
  return (req.socket as Partial<TLSSocket>).encrypted === true ? 'https:' : 'http:'
}
