import { listOwnGrants, type OAuthParts, revokeOwnGrant } from '../../../auth/administer/index.ts'
import { Type } from '../../../base/index.ts'
import { actingIn } from '../../admit/acting.ts'
import type { Gate } from '../../admit/gate.ts'
import { needs } from '../../admit/needs.ts'
import type { App } from '../../app-type.ts'
import { answersOf, doneAnswer, operation } from '../../openapi/answer-schema.ts'
import { envelope, pageSchema, readPage } from '../../wire/envelope.ts'
import { passwordHeader } from '../../wire/identity-wire.ts'
import { grantRecord } from '../../wire/oauth-answers.ts'
import { showGrant } from '../../wire/oauth-client-wire.ts'

const NAME = 'oauth_grant'
const tags = ['oauth']

/** Adds the resource oauth_grant: users see what they allowed clients, and take it back. */
export function oauthGrantRoutes(app: App, deps: OAuthParts & { readonly gate: Gate }): void {
  const onRequest = deps.gate.guard('admin')
  const summary = 'What you allowed OAuth clients'
  const listing = operation('listOAuthGrants', answersOf(NAME, grantRecord).page)
  const list = { tags, ...needs('GET', NAME), ...listing, summary, querystring: pageSchema }
  app.get(`/api/${NAME}`, { onRequest, schema: list }, async (request) => {
    const page = readPage(request.query)
    const { grants, totalCount } = await listOwnGrants(deps, actingIn(request), page)
    return envelope(NAME, grants.map(showGrant), totalCount)
  })
  const params = Type.Object({ uid: Type.String() })
  const removing = 'Take back what you allowed an OAuth client'
  const removed = operation('deleteOAuthGrant', doneAnswer)
  const remove = {
    tags,
    ...needs('DELETE', `${NAME}/{uid}`),
    ...removed,
    summary: removing,
    params,
    headers: passwordHeader,
  }
  app.delete(`/api/${NAME}/:uid`, { onRequest, schema: remove }, async (request) => {
    await revokeOwnGrant(deps, actingIn(request), request.params.uid)
    return { message: '', success: true }
  })
}
