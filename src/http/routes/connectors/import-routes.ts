import type { FastifyRequest } from 'fastify'
import { authorOf } from '../../../auth/administer/index.ts'
import type { Identity } from '../../../auth/index.ts'
import { type Imports, scheduleCheckShape } from '../../../connectors/index.ts'
import { actingIn } from '../../admit/acting.ts'
import type { Gate } from '../../admit/gate.ts'
import { needs } from '../../admit/needs.ts'
import type { App } from '../../app-type.ts'
import { answersOf, doneAnswer, operation } from '../../openapi/answer-schema.ts'
import { runRecord, scheduleCheckRecord } from '../../wire/connector-answers.ts'
import { envelope } from '../../wire/envelope.ts'
import { uidParams } from '../../wire/identity-wire.ts'
import { documented } from '../record-routes.ts'

const uidOf = (request: FastifyRequest) => (request.params as { uid: string }).uid

/** Adds running an import by hand, calling a run off, and checking schedules; the list of runs is that of every connector. */
export function importRoutes(
  app: App,
  { gate, identity, imports }: { gate: Gate; identity: Identity; imports: Imports },
): void {
  const onRequest = gate.guard('admin')
  const by = (request: FastifyRequest) => authorOf(identity, actingIn(request))
  const common = { tags: ['connector'], ...needs('POST', 'connector/{uid}'), params: uidParams }
  const starting = {
    ...common,
    ...operation('startRun', answersOf('run', runRecord).one),
    summary: 'Begin to run an import; the list of runs tells what comes of it',
  }
  app.post('/api/connector/:uid/run', { ...documented(starting), onRequest }, async (request) =>
    envelope('run', await imports.run(by(request), uidOf(request))),
  )
  const ending = {
    ...common,
    ...operation('endRun', doneAnswer),
    summary:
      'Call off the run of an import before it stores; one that stores already goes through (409)',
  }
  const checking = {
    tags: ['connector'],
    ...needs('GET', 'connector'),
    body: scheduleCheckShape,
    ...operation('getScheduleCheck', answersOf('check', scheduleCheckRecord).one),
    summary: 'When a schedule that need not be saved would run, or what is wrong with it',
  }
  app.post(
    '/api/connector/schedule_check',
    { ...documented(checking), onRequest },
    async (request) =>
      envelope('check', await imports.checkSchedule(request.principal, request.body)),
  )
  app.delete('/api/connector/:uid/run', { ...documented(ending), onRequest }, async (request) => {
    await imports.cancel(by(request), uidOf(request))
    return { message: '', success: true }
  })
}
