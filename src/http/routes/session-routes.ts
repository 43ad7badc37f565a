import { endOwnSession, listOwnSessions } from '../../auth/administer/index.ts'
import type { Identity, ShownSession } from '../../auth/index.ts'
import { actingIn } from '../admit/acting.ts'
import type { Gate } from '../admit/gate.ts'
import { needs } from '../admit/needs.ts'
import type { App } from '../app-type.ts'
import { answersOf, operation } from '../openapi/answer-schema.ts'
import { forPeople } from '../openapi/security-schemes.ts'
import { envelope, pageSchema, readPage } from '../wire/envelope.ts'
import { sessionRecord } from '../wire/identity-answers.ts'
import { uidParams } from '../wire/identity-wire.ts'

interface Deps {
  readonly gate: Gate
  readonly identity: Identity
}

const NAME = 'session'
const tags = [NAME]
const security = forPeople
const answers = answersOf(NAME, sessionRecord)

/** Adds the caller's own sessions: list, end one. */
export function sessionRoutes(app: App, { gate, identity }: Deps): void {
  const onRequest = gate.guard('admin')
  const querystring = pageSchema
  const listing = operation('listSessions', answers.page)
  const list = {
    tags,
    security,
    ...needs('GET', NAME),
    ...listing,
    summary: 'Your sessions',
    querystring,
  }
  app.get('/api/session', { onRequest, schema: list }, async (request) => {
    const page = readPage(request.query)
    const { sessions, totalCount } = await listOwnSessions(identity, actingIn(request), page)
    return envelope(NAME, sessions.map(showSession), totalCount)
  })
  const capability = needs('DELETE', 'session/{uid}')
  const ending = operation('endSession', answers.gone)
  const end = {
    tags,
    security,
    ...capability,
    ...ending,
    summary: 'End one of your sessions',
    params: uidParams,
  }
  app.delete('/api/session/:uid', { onRequest, schema: end }, async (request) => {
    const { uid } = request.params
    await endOwnSession(identity, actingIn(request), uid)
    return envelope(NAME, { uid })
  })
}

function showSession(session: ShownSession) {
  const { uid, address, client, createdAtMs, usedAtMs, endsAtMs, isCurrent } = session
  const dates = { creationDate: createdAtMs, lastUseDate: usedAtMs, endDate: endsAtMs }
  return { uid, address, client, ...dates, isCurrent }
}
