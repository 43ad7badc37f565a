/** What the composition root reads out of the settings. */
import type { Config } from './base/index.ts'

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

/** The address to tell people: one that can be opened, not the wildcard that is listened on. */
export function addressOf(config: Config, port: number): string {
  if (config.publicUrl !== undefined) return config.publicUrl
  const scheme = config.tlsCert === undefined ? 'http' : 'https'
  const isWildcard = config.host === '0.0.0.0' || config.host === '::'
  const host = isWildcard ? 'localhost' : config.host
  return `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}`
}
