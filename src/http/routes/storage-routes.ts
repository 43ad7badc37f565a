import {
  beginScrub,
  readServiceMetrics,
  readStorage,
  type StorageParts,
} from '../../auth/administer/index.ts'
import type { StreamPlaces } from '../../store/index.ts'
import { actingIn } from '../admit/acting.ts'
import type { Gate } from '../admit/gate.ts'
import { needs } from '../admit/needs.ts'
import type { App } from '../app-type.ts'
import { METRICS_TYPE } from '../metrics/process-metrics.ts'
import { answersOf, operation } from '../openapi/answer-schema.ts'
import { envelope } from '../wire/envelope.ts'
import { scrubRun, storageRecord } from '../wire/storage-answers.ts'
import { showRun, showStorage } from '../wire/storage-wire.ts'
import { metricsAnswer } from './health-routes.ts'

/** What the storage routes need. */
export interface StorageRoutesDeps extends StorageParts {
  readonly gate: Gate
  readonly places: StreamPlaces
}

const tags = ['storage']

/** Adds what operators are told of the storage, and the scrub that they ask for. */
export function storageRoutes(app: App, deps: StorageRoutesDeps): void {
  const onRequest = deps.gate.guard('admin')
  const reading = 'Sizes, the last scrub, and known damage'
  const told = operation('getStorage', answersOf('storage', storageRecord).one)
  const read = { tags, ...needs('GET', 'storage'), ...told, summary: reading }
  app.get('/api/storage', { onRequest, schema: read }, async (request) => {
    const facts = await readStorage(deps, actingIn(request))
    return envelope('storage', showStorage(facts, request.principal, deps.places))
  })
  const counted = operation('getStorageMetrics', metricsAnswer)
  const metrics = {
    tags,
    ...needs('GET', 'storage'),
    ...counted,
    produces: ['text/plain'],
    summary: 'What /metrics tells, for operators who are elsewhere',
  }
  app.get('/api/storage/metrics', { onRequest, schema: metrics }, async (request, reply) => {
    const text = await readServiceMetrics(deps, actingIn(request))
    reply.type(METRICS_TYPE)
    return text
  })
  const summary = 'Read and check everything that is stored; the answer does not wait for it'
  const begun = operation('startScrub', answersOf('scrub', scrubRun).one, 202)
  const scrub = { tags, ...needs('POST', 'storage'), ...begun, summary }
  app.post('/api/storage/scrub', { onRequest, schema: scrub }, async (request, reply) => {
    const state = await beginScrub(deps, actingIn(request))
    reply.status(202)
    return envelope('scrub', showRun(state))
  })
}
