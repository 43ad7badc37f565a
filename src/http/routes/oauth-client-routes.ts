import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { requirePermit } from '../../access/index.ts'
import {
  type AuditAct,
  type AuditLog,
  actorName,
  BLANK_CLIENT,
  deleteClient,
  findClient,
  insertClient,
  listClients,
  type OAuthBase,
  type RegisteredClient,
  renewClientSecret,
  updateClient,
} from '../../auth/index.ts'
import { refuse } from '../../base/index.ts'
import type { Gate } from '../admit/gate.ts'
import type { App } from '../app-type.ts'
import { exchangeOf } from '../transport/exchange.ts'
import { envelope, pageSchema, readPage } from '../wire/envelope.ts'
import {
  clientBodySchema,
  readClient,
  showClient,
  showClientFields,
} from '../wire/oauth-client-wire.ts'

/** What the administration of OAuth clients needs. */
interface OAuthClientRoutesDeps {
  readonly oauth: OAuthBase
  readonly gate: Gate
  readonly audit: AuditLog
}

const NAME = 'oauth_client'
const tags = ['oauth']
const params = Type.Object({ uid: Type.String() })

/** Adds the resource oauth_client: administrators register the clients of their organization. */
export function oauthClientRoutes(app: App, deps: OAuthClientRoutesDeps): void {
  readingRoutes(app, deps)
  writingRoutes(app, deps)
}

function readingRoutes(app: App, { oauth, gate }: OAuthClientRoutesDeps): void {
  const onRequest = gate.guard('admin')
  const list = { tags, summary: 'OAuth clients, by name', querystring: pageSchema }
  app.get(`/api/${NAME}`, { onRequest, schema: list }, async ({ principal, query }) => {
    requirePermit(principal, NAME, 'GET')
    const page = { orgUid: principal.orgUid, ...readPage(query) }
    const { clients, totalCount } = await listClients(oauth, page)
    return envelope(
      NAME,
      clients.map((client) => showClient(client)),
      totalCount,
    )
  })
  const blank = { tags, summary: 'An OAuth client before it is filled in' }
  app.get(`/api/${NAME}/new`, { onRequest, schema: blank }, async ({ principal }) => {
    requirePermit(principal, NAME, 'GET')
    return envelope(NAME, showClientFields(BLANK_CLIENT))
  })
  const one = { tags, summary: 'One OAuth client', params }
  app.get(`/api/${NAME}/:uid`, { onRequest, schema: one }, async (request) => {
    requirePermit(request.principal, `${NAME}/${request.params.uid}`, 'GET')
    return envelope(NAME, showClient(await requireClient(oauth, request)))
  })
}

function writingRoutes(app: App, { oauth, gate, audit }: OAuthClientRoutesDeps): void {
  const onRequest = gate.guard('admin')
  const note = (request: FastifyRequest, act: AuditAct, client: RegisteredClient) =>
    audit.record({
      orgUid: client.orgUid,
      act,
      actor: actorName(request.principal),
      target: client.uid,
      address: exchangeOf(request.raw)?.address ?? '',
      detail: client.name,
    })
  const insert = { tags, summary: 'Register an OAuth client', body: clientBodySchema }
  app.put(`/api/${NAME}`, { onRequest, schema: insert }, async (request) => {
    const { principal, body } = request
    requirePermit(principal, NAME, 'PUT')
    const fields = readClient(body, BLANK_CLIENT)
    const { client, secret } = await insertClient(oauth, principal.orgUid, fields)
    await note(request, 'client_created', client)
    return envelope(NAME, showClient(client, secret))
  })
  const update = { tags, summary: 'Change an OAuth client', params, body: clientBodySchema }
  app.post(`/api/${NAME}/:uid`, { onRequest, schema: update }, async (request) => {
    requirePermit(request.principal, `${NAME}/${request.params.uid}`, 'POST')
    const before = await requireClient(oauth, request)
    const { client, secret } = await updateClient(oauth, before, readClient(request.body, before))
    await note(request, 'client_updated', client)
    return envelope(NAME, showClient(client, secret))
  })
  const renew = { tags, summary: 'Replace the secret of an OAuth client', params }
  app.post(`/api/${NAME}/:uid/secret`, { onRequest, schema: renew }, async (request) => {
    requirePermit(request.principal, `${NAME}/${request.params.uid}`, 'POST')
    const before = await requireClient(oauth, request)
    const { client, secret } = await renewClientSecret(oauth, before)
    await note(request, 'client_secret_renewed', client)
    return envelope(NAME, showClient(client, secret))
  })
  const remove = { tags, summary: 'Remove an OAuth client and end its tokens', params }
  app.delete(`/api/${NAME}/:uid`, { onRequest, schema: remove }, async (request) => {
    requirePermit(request.principal, `${NAME}/${request.params.uid}`, 'DELETE')
    const client = await requireClient(oauth, request)
    await deleteClient(oauth, client)
    await note(request, 'client_deleted', client)
    return { message: '', success: true }
  })
}

/** A client of another organization is as unknown as one that never was. */
async function requireClient(
  oauth: OAuthBase,
  request: FastifyRequest & { params: { uid: string } },
): Promise<RegisteredClient> {
  const { uid } = request.params
  const client = await findClient(oauth, uid)
  if (client !== undefined && !client.isDeleted && client.orgUid === request.principal.orgUid) {
    return client
  }
  refuse('not_found', { what: `Cannot find oauth_client "${uid.slice(0, 100)}"` })
}
