import type { Identity } from '../../../auth/index.ts'
import { type Connections, connectionShape } from '../../../connectors/index.ts'
import type { Gate } from '../../admit/gate.ts'
import { needs } from '../../admit/needs.ts'
import type { App } from '../../app-type.ts'
import { answersOf, operation } from '../../openapi/answer-schema.ts'
import { connectionRecord, connectionTest } from '../../wire/connection-answers.ts'
import { envelope } from '../../wire/envelope.ts'
import { uidParams } from '../../wire/identity-wire.ts'
import { documented, recordRoutes } from '../record-routes.ts'

const NOUN = 'connection'

/** Adds the databases that imports read, and the trial of one. */
export function connectionRoutes(
  app: App,
  { connections, gate, identity }: { connections: Connections; gate: Gate; identity: Identity },
): void {
  recordRoutes(app, {
    noun: NOUN,
    title: 'A connection',
    shape: connectionShape,
    records: connections,
    answer: connectionRecord,
    gate,
    identity,
  })
  const testing = {
    tags: [NOUN],
    ...needs('POST', 'connection/{uid}'),
    params: uidParams,
    ...operation('beginConnectionTest', answersOf('test', connectionTest).one),
    summary: 'Sign in to the database and out again; tells what came of it',
  }
  app.post(
    '/api/connection/:uid/test',
    { ...documented(testing), onRequest: gate.guard('admin') },
    async (request) => {
      const { uid } = request.params as { uid: string }
      return envelope('test', await connections.test(request.principal, uid))
    },
  )
}
