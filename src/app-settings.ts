/** What the composition root reads out of the settings. */
import { type Config, connectionsWithin, findOpenFilesMax } from './base/index.ts'

/** What the OAuth part takes from the settings. */
export function oauthSettings(config: Config) {
  return {
    mode: config.oauthMode,
    accessTokenSeconds: config.tokenLifetimeSeconds,
    refreshTokenSeconds: config.refreshLifetimeSeconds,
  }
}

/** The files of the certificate, if there is one. */
export function tlsFiles({ tlsCert, tlsKey }: Config) {
  if (tlsCert === undefined || tlsKey === undefined) return undefined
  return { certFile: tlsCert, keyFile: tlsKey }
}

/** How many connections may be open, below what the system lets this process have. */
export function connectionLimits(
  config: Config,
  openFilesMax = findOpenFilesMax() ?? Number.POSITIVE_INFINITY,
) {
  const connectionsMax = Math.min(config.connectionsMax, connectionsWithin(openFilesMax))
  // One address must not take all places, however few there are.
  const perAddressMax = Math.min(config.connectionsPerAddress, Math.ceil((connectionsMax * 3) / 4))
  return { connectionsMax, perAddressMax }
}

/** The address to tell people: one that can be opened, not the wildcard that is listened on. */
export function addressOf(config: Config, port: number): string {
  if (config.publicUrl !== undefined) return config.publicUrl
  const scheme = config.tlsCert === undefined ? 'http' : 'https'
  const isWildcard = config.host === '0.0.0.0' || config.host === '::'
  const host = isWildcard ? 'localhost' : config.host
  return `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}`
}
