/** A piece of the composition root: the databases that imports read. */
import type { SecretBox } from './auth/index.ts'
import type { Clock, Config } from './base/index.ts'
import type { Catalog } from './catalog/index.ts'
import { Connections, OutboundRules } from './connectors/index.ts'

/** The connections of all organizations, under the rules of where the service may connect to. */
export function openConnections(parts: {
  readonly box: SecretBox
  readonly catalog: Catalog
  readonly clock: Clock
  readonly config: Config
}): Connections {
  const { box, catalog, clock, config } = parts
  const rules = new OutboundRules(config.outboundAllow)
  return new Connections({ box, catalog, clock, rules })
}
