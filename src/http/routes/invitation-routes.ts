import { answerInvitation, listOwnInvitations } from '../../auth/administer/index.ts'
import type { Identity } from '../../auth/index.ts'
import { actingIn } from '../admit/acting.ts'
import type { Gate } from '../admit/gate.ts'
import { needs } from '../admit/needs.ts'
import type { App } from '../app-type.ts'
import { answersOf, operation } from '../openapi/answer-schema.ts'
import { forPeople } from '../openapi/security-schemes.ts'
import { envelope, pageSchema, readPage } from '../wire/envelope.ts'
import { invitationRecord } from '../wire/identity-answers.ts'
import { invitationBody, showInvitation, uidParams } from '../wire/identity-wire.ts'

interface Deps {
  readonly gate: Gate
  readonly identity: Identity
}

const NAME = 'invitation'
const tags = [NAME]
const security = forPeople
const answers = answersOf(NAME, invitationRecord)

/** Adds what a person was invited to: list, accept, decline. */
export function invitationRoutes(app: App, { gate, identity }: Deps): void {
  const onRequest = gate.guard('admin')
  const querystring = pageSchema
  const listing = operation('listInvitations', answers.page)
  const list = {
    tags,
    security,
    ...needs('GET', NAME),
    ...listing,
    summary: 'Invitations to you',
    querystring,
  }
  app.get('/api/invitation', { onRequest, schema: list }, async (request) => {
    const page = readPage(request.query)
    const found = await listOwnInvitations(identity, actingIn(request), page)
    return envelope(NAME, found.invitations.map(showInvitation), found.totalCount)
  })
  const summary = 'Accept or decline an invitation'
  const capability = needs('POST', 'invitation/{uid}')
  const answering = operation('answerInvitation', answers.gone)
  const answer = {
    tags,
    security,
    ...capability,
    ...answering,
    summary,
    params: uidParams,
    body: invitationBody,
  }
  app.post('/api/invitation/:uid', { onRequest, schema: answer }, async (request) => {
    const { uid } = request.params
    await answerInvitation(identity, actingIn(request), uid, request.body.accept)
    return envelope(NAME, { uid })
  })
}
