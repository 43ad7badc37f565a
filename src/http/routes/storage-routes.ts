import { Type } from 'typebox'
import type { Operators } from '../../auth/index.ts'
import type { Log } from '../../base/index.ts'
import type { KnownDamage, ScrubRunner, StorageSizes, StreamPlaces } from '../../store/index.ts'
import type { Gate } from '../admit/gate.ts'
import type { App } from '../app-type.ts'
import { envelope } from '../wire/envelope.ts'
import { showRun, showStorage } from '../wire/storage-wire.ts'

/** What the storage routes need. */
export interface StorageRoutesDeps {
  readonly gate: Gate
  readonly operators: Operators
  readonly scrub: ScrubRunner
  readonly damage: KnownDamage
  readonly places: StreamPlaces
  readonly measure: () => Promise<StorageSizes>
  readonly log: Log
}

const tags = ['storage']

/** Adds what operators are told of the storage, and the scrub that they ask for. */
export function storageRoutes(app: App, deps: StorageRoutesDeps): void {
  const { damage, operators, places, scrub } = deps
  const onRequest = deps.gate.guard('admin')
  app.get(
    '/api/storage',
    { onRequest, schema: { tags, summary: 'Sizes, the last scrub, and known damage' } },
    async ({ principal }) => {
      operators.require(principal, 'storage', 'GET')
      const sizes = await deps.measure()
      const facts = { sizes, scrub: scrub.state, damaged: damage.list() }
      return envelope('storage', showStorage(facts, principal, places))
    },
  )
  app.post(
    '/api/storage/scrub',
    {
      onRequest,
      schema: {
        tags,
        summary: 'Read and check everything that is stored; the answer does not wait for it',
        body: Type.Optional(Type.Unknown()),
      },
    },
    async ({ principal }, reply) => {
      operators.require(principal, 'storage', 'POST')
      deps.log.info({ actor: principal.actor }, 'a scrub was asked for')
      void scrub.checkNow()
      reply.status(202)
      return envelope('scrub', showRun(scrub.state))
    },
  )
}
