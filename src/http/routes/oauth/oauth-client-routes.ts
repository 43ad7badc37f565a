import {
  changeOAuthClient,
  getOAuthClient,
  insertOAuthClient,
  listOAuthClients,
  makeOAuthClient,
  type OAuthParts,
  removeOAuthClient,
  renewOAuthClientSecret,
} from '../../../auth/administer/index.ts'
import { Type } from '../../../base/index.ts'
import { actingIn } from '../../admit/acting.ts'
import type { Gate } from '../../admit/gate.ts'
import { needs } from '../../admit/needs.ts'
import type { App } from '../../app-type.ts'
import { answersOf, doneAnswer, operation } from '../../openapi/answer-schema.ts'
import { envelope, pageSchema, readPage } from '../../wire/envelope.ts'
import { passwordHeader } from '../../wire/identity-wire.ts'
import { blankClient, clientRecord } from '../../wire/oauth-answers.ts'
import {
  clientBodySchema,
  readClient,
  showClient,
  showClientFields,
} from '../../wire/oauth-client-wire.ts'

/** What the administration of OAuth clients needs. */
interface OAuthClientRoutesDeps extends OAuthParts {
  readonly gate: Gate
}

const NAME = 'oauth_client'
const ONE = 'oauth_client/{uid}'
const tags = ['oauth']
const params = Type.Object({ uid: Type.String() })
const body = clientBodySchema
const answers = answersOf(NAME, clientRecord)

/** Adds the resource oauth_client: administrators register the clients of their organization. */
export function oauthClientRoutes(app: App, deps: OAuthClientRoutesDeps): void {
  readingRoutes(app, deps)
  writingRoutes(app, deps)
}

function readingRoutes(app: App, deps: OAuthClientRoutesDeps): void {
  const onRequest = deps.gate.guard('admin')
  const summary = 'OAuth clients, by name'
  const listing = operation('listOAuthClients', answers.page)
  const list = { tags, ...needs('GET', NAME), ...listing, summary, querystring: pageSchema }
  app.get(`/api/${NAME}`, { onRequest, schema: list }, async (request) => {
    const page = readPage(request.query)
    const { clients, totalCount } = await listOAuthClients(deps, actingIn(request), page)
    const shown = clients.map((client) => showClient(client))
    return envelope(NAME, shown, totalCount)
  })
  const blanking = operation('newOAuthClient', answersOf(NAME, blankClient).one)
  const blank = {
    tags,
    ...needs('GET', NAME),
    ...blanking,
    summary: 'An OAuth client before it is filled in',
  }
  app.get(`/api/${NAME}/new`, { onRequest, schema: blank }, async (request) =>
    envelope(NAME, showClientFields(makeOAuthClient(actingIn(request)))),
  )
  const getting = operation('getOAuthClient', answers.one)
  const one = { tags, ...needs('GET', ONE), ...getting, summary: 'One OAuth client', params }
  app.get(`/api/${NAME}/:uid`, { onRequest, schema: one }, async (request) =>
    envelope(NAME, showClient(await getOAuthClient(deps, actingIn(request), request.params.uid))),
  )
}

function writingRoutes(app: App, deps: OAuthClientRoutesDeps): void {
  const onRequest = deps.gate.guard('admin')
  const inserting = operation('insertOAuthClient', answers.one)
  const insert = {
    tags,
    ...needs('PUT', NAME),
    ...inserting,
    summary: 'Register an OAuth client',
    body,
  }
  app.put(`/api/${NAME}`, { onRequest, schema: insert }, async (request, reply) => {
    const given = readClient(request.body)
    const { client, secret } = await insertOAuthClient(deps, actingIn(request), given)
    reply.header('Cache-Control', 'no-store')
    return envelope(NAME, showClient(client, secret))
  })
  const updating = operation('updateOAuthClient', answers.one)
  const update = {
    tags,
    ...needs('POST', ONE),
    ...updating,
    summary: 'Change an OAuth client',
    params,
    body,
  }
  app.post(`/api/${NAME}/:uid`, { onRequest, schema: update }, async (request, reply) => {
    const { uid } = request.params
    const changes = readClient(request.body)
    const { client, secret } = await changeOAuthClient(deps, actingIn(request), uid, changes)
    reply.header('Cache-Control', 'no-store')
    return envelope(NAME, showClient(client, secret))
  })
  const renewing = 'Replace the secret of an OAuth client'
  const renewed = operation('renewOAuthClientSecret', answers.one)
  const headers = passwordHeader
  const renew = { tags, ...needs('POST', ONE), ...renewed, summary: renewing, params, headers }
  app.post(`/api/${NAME}/:uid/secret`, { onRequest, schema: renew }, async (request, reply) => {
    const { uid } = request.params
    const { client, secret } = await renewOAuthClientSecret(deps, actingIn(request), uid)
    reply.header('Cache-Control', 'no-store')
    return envelope(NAME, showClient(client, secret))
  })
  const removing = 'Remove an OAuth client and end its tokens'
  const removed = operation('deleteOAuthClient', doneAnswer)
  const remove = { tags, ...needs('DELETE', ONE), ...removed, summary: removing, params, headers }
  app.delete(`/api/${NAME}/:uid`, { onRequest, schema: remove }, async (request) => {
    await removeOAuthClient(deps, actingIn(request), request.params.uid)
    return { message: '', success: true }
  })
}
