/** A piece of the composition root: connectors, what they were given, and their sinks. */
import type { Identity, SecretBox } from './auth/index.ts'
import { type Clock, type Config, type Log, type MemoryBudget, Refusal } from './base/index.ts'
import type { Catalog } from './catalog/index.ts'
import {
  Connectors,
  forgetOrganization,
  KeptPayloads,
  PayloadRuns,
  recoverPayloads,
  SinkCalls,
} from './connectors/index.ts'
import type { GqlRuns } from './gql/index.ts'
import { type Gate, sinkLane } from './http/index.ts'
import { openConnections } from './open-connections.ts'
import type { CatalogWrite, PayloadStore } from './store/index.ts'

/** A start waits so long for what the last run of the service has left; the rest goes on beside its calls. */
const RECOVERY_MS = 10_000

/** Opens connectors and connections over the parts that they need. */
export function openConnectors(parts: {
  readonly box: SecretBox
  readonly budget: MemoryBudget
  readonly catalog: Catalog
  readonly clock: Clock
  readonly config: Config
  readonly gate: Gate
  readonly gql: GqlRuns
  readonly identity: Identity
  readonly log: Log
  /** Tells a listener of the writes of every commit. */
  readonly onCommit: (listener: (writes: readonly CatalogWrite[]) => void) => void
  readonly payloads: PayloadStore
}) {
  const { catalog, clock, gql, identity, log, onCommit, payloads } = parts
  const { users } = identity
  const checkSql = (proc: { sql: string; timeZoneId: string }, field: string): void => {
    try {
      gql.check({ ...proc, allows: { insert: true, stored: true } })
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      const { code, message, place } = error
      throw new Refusal(code, `${field}: ${message}`, { field, place })
    }
  }
  const connectors = new Connectors({ catalog, users, payloads, checkSql })
  const runs = new PayloadRuns({ gql, connectors, payloads, clock, log })
  const keptPayloads = new KeptPayloads({ connectors, payloads, runs, clock, checkSql })
  const sinks = new SinkCalls({ connectors, runs, clock })
  onCommit((writes) => sinks.forgetWritten(writes))
  return {
    ...{ connections: openConnections(parts), connectors, keptPayloads },
    /** Serves the calls of sinks. */
    lane: sinkLane({ ...parts, sinks }),
    /** Runs what a stop has cut short; resolves when it is done, or after a while. */
    recover: async (): Promise<void> => {
      const onNewest = sinks.noteArrival.bind(sinks)
      const recovering = recoverPayloads({ connectors, payloads, runs, log, onNewest }).then(
        (count) => {
          if (count > 0) log.info({ count }, 'payloads that a stop had cut short were run')
        },
        (error) => log.error({ error }, 'payloads that a stop had cut short were not run'),
      )
      const { promise: late, resolve: giveUp } = Promise.withResolvers<void>()
      const timer = setTimeout(giveUp, RECOVERY_MS)
      await Promise.race([recovering, late])
      clearTimeout(timer)
    },
    /** Forgets what the connectors of an organization were given. */
    forgetOrganization: (orgUid: string) => forgetOrganization(payloads, orgUid),
  }
}
