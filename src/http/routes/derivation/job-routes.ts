import type { FastifyRequest, FastifySchema } from 'fastify'
import { authorOf } from '../../../auth/administer/index.ts'
import type { Identity } from '../../../auth/index.ts'
import { Type } from '../../../base/index.ts'
import type { HistoryJobs } from '../../../derivation/index.ts'
import { actingIn } from '../../admit/acting.ts'
import type { Gate } from '../../admit/gate.ts'
import { needs } from '../../admit/needs.ts'
import type { App } from '../../app-type.ts'
import { answersOf, operation } from '../../openapi/answer-schema.ts'
import { envelope, pageSchema, readPage } from '../../wire/envelope.ts'
import { uidParams } from '../../wire/identity-wire.ts'
import { deriveShape, jobRecord } from '../../wire/job-answers.ts'
import { documented } from '../record-routes.ts'

const answers = answersOf('job', jobRecord)
const uidOf = (request: FastifyRequest) => (request.params as { uid: string }).uid

/** Adds deriving over history, and the jobs that do it. */
export function jobRoutes(
  app: App,
  { gate, identity, jobs }: { gate: Gate; identity: Identity; jobs: HistoryJobs },
): void {
  const onRequest = gate.guard('admin')
  const by = (request: FastifyRequest) => authorOf(identity, actingIn(request))
  const described = (summary: string, more: FastifySchema) => ({
    ...documented({ tags: ['job'], summary, ...more }),
    onRequest,
  })
  const start = {
    params: Type.Object({ componentUid: Type.String(), uid: Type.String() }),
    body: deriveShape,
    ...operation('startDerivation', answers.one, 202),
    ...needs('POST', 'component/{componentUid}/stream/{uid}'),
  }
  const path = '/api/component/:componentUid/stream/:uid/derive'
  const summary = 'Derive a stream over history; the answer does not wait for it'
  app.post(path, described(summary, start), async (request, reply) => {
    const stream = request.params as { componentUid: string; uid: string }
    const job = await jobs.start(by(request), stream, request.body)
    reply.status(202)
    return envelope('job', job)
  })
  const listing = operation('listJobs', answers.page)
  const list = { querystring: pageSchema, ...listing, ...needs('GET', 'job') }
  app.get('/api/job', described('Jobs, the latest first', list), async (request) => {
    const { records, totalCount } = await jobs.list(request.principal, readPage(request.query))
    return envelope('job', records, totalCount)
  })
  const one = {
    params: uidParams,
    ...operation('getJob', answers.one),
    ...needs('GET', 'job/{uid}'),
  }
  app.get('/api/job/:uid', described('How far a job is', one), async (request) =>
    envelope('job', await jobs.get(request.principal, uidOf(request))),
  )
  const cancelled = operation('endJob', answers.one)
  const cancel = { params: uidParams, ...cancelled, ...needs('DELETE', 'job/{uid}') }
  app.delete('/api/job/:uid', described('End a job where it stands', cancel), async (request) =>
    envelope('job', await jobs.cancel(by(request), uidOf(request))),
  )
}
