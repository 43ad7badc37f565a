import { Type } from 'typebox'
import {
  changeOAuthClient,
  getOAuthClient,
  insertOAuthClient,
  listOAuthClients,
  makeOAuthClient,
  type OAuthParts,
  removeOAuthClient,
  renewOAuthClientSecret,
} from '../../auth/index.ts'
import { actingIn } from '../admit/acting.ts'
import type { Gate } from '../admit/gate.ts'
import { needs } from '../admit/needs.ts'
import type { App } from '../app-type.ts'
import { envelope, pageSchema, readPage } from '../wire/envelope.ts'
import {
  clientBodySchema,
  readClient,
  showClient,
  showClientFields,
} from '../wire/oauth-client-wire.ts'

/** What the administration of OAuth clients needs. */
interface OAuthClientRoutesDeps extends OAuthParts {
  readonly gate: Gate
}

const NAME = 'oauth_client'
const ONE = 'oauth_client/{uid}'
const tags = ['oauth']
const params = Type.Object({ uid: Type.String() })
const body = clientBodySchema

/** Adds the resource oauth_client: administrators register the clients of their organization. */
export function oauthClientRoutes(app: App, deps: OAuthClientRoutesDeps): void {
  readingRoutes(app, deps)
  writingRoutes(app, deps)
}

function readingRoutes(app: App, deps: OAuthClientRoutesDeps): void {
  const onRequest = deps.gate.guard('admin')
  const summary = 'OAuth clients, by name'
  const list = { tags, ...needs('GET', NAME), summary, querystring: pageSchema }
  app.get(`/api/${NAME}`, { onRequest, schema: list }, async (request) => {
    const page = readPage(request.query)
    const { clients, totalCount } = await listOAuthClients(deps, actingIn(request), page)
    const shown = clients.map((client) => showClient(client))
    return envelope(NAME, shown, totalCount)
  })
  const blank = { tags, ...needs('GET', NAME), summary: 'An OAuth client before it is filled in' }
  app.get(`/api/${NAME}/new`, { onRequest, schema: blank }, async (request) =>
    envelope(NAME, showClientFields(makeOAuthClient(actingIn(request)))),
  )
  const one = { tags, ...needs('GET', ONE), summary: 'One OAuth client', params }
  app.get(`/api/${NAME}/:uid`, { onRequest, schema: one }, async (request) =>
    envelope(NAME, showClient(await getOAuthClient(deps, actingIn(request), request.params.uid))),
  )
}

function writingRoutes(app: App, deps: OAuthClientRoutesDeps): void {
  const onRequest = deps.gate.guard('admin')
  const insert = { tags, ...needs('PUT', NAME), summary: 'Register an OAuth client', body }
  app.put(`/api/${NAME}`, { onRequest, schema: insert }, async (request, reply) => {
    const given = readClient(request.body)
    const { client, secret } = await insertOAuthClient(deps, actingIn(request), given)
    reply.header('Cache-Control', 'no-store')
    return envelope(NAME, showClient(client, secret))
  })
  const update = { tags, ...needs('POST', ONE), summary: 'Change an OAuth client', params, body }
  app.post(`/api/${NAME}/:uid`, { onRequest, schema: update }, async (request, reply) => {
    const { uid } = request.params
    const changes = readClient(request.body)
    const { client, secret } = await changeOAuthClient(deps, actingIn(request), uid, changes)
    reply.header('Cache-Control', 'no-store')
    return envelope(NAME, showClient(client, secret))
  })
  const renewing = 'Replace the secret of an OAuth client'
  const renew = { tags, ...needs('POST', ONE), summary: renewing, params }
  app.post(`/api/${NAME}/:uid/secret`, { onRequest, schema: renew }, async (request, reply) => {
    const { uid } = request.params
    const { client, secret } = await renewOAuthClientSecret(deps, actingIn(request), uid)
    reply.header('Cache-Control', 'no-store')
    return envelope(NAME, showClient(client, secret))
  })
  const removing = 'Remove an OAuth client and end its tokens'
  const remove = { tags, ...needs('DELETE', ONE), summary: removing, params }
  app.delete(`/api/${NAME}/:uid`, { onRequest, schema: remove }, async (request) => {
    await removeOAuthClient(deps, actingIn(request), request.params.uid)
    return { message: '', success: true }
  })
}
