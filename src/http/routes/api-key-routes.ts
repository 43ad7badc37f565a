import type { FastifyRequest } from 'fastify'
import { type Principal, requirePermit } from '../../access/index.ts'
import {
  type ApiKey,
  type AuditAct,
  actorName,
  type Identity,
  requireMayHandle,
} from '../../auth/index.ts'
import { refuse } from '../../base/index.ts'
import type { Gate } from '../admit/gate.ts'
import type { App } from '../app-type.ts'
import { exchangeOf } from '../transport/exchange.ts'
import { envelope, pageSchema, readPage } from '../wire/envelope.ts'
import { apiKeyBody, readApiKey, showApiKey, uidParams } from '../wire/identity-wire.ts'

const tags = ['api_key']
const BLANK = { name: '', description: '', capabilities: [], ipAddresses: [] }

/** Adds the API keys of an organization: list, one, new, insert, update, delete, View Secret Key. */
export function apiKeyRoutes(app: App, deps: { gate: Gate; identity: Identity }): void {
  const { identity } = deps
  const onRequest = deps.gate.guard('admin')
  app.get(
    '/api/api_key',
    { onRequest, schema: { tags, summary: 'List the keys', querystring: pageSchema } },
    async ({ principal, query }) => {
      requirePermit(principal, 'api_key', 'GET')
      const { keys, totalCount } = await identity.keys.list(principal.orgUid, readPage(query))
      return envelope('api_key', keys.map(showApiKey), totalCount)
    },
  )
  app.get(
    '/api/api_key/new',
    { onRequest, schema: { tags, summary: 'An unsaved key' } },
    async ({ principal }) => {
      requirePermit(principal, 'api_key', 'GET')
      return envelope('api_key', { ...BLANK, isEnabled: false })
    },
  )
  app.put(
    '/api/api_key',
    { onRequest, schema: { tags, summary: 'Insert a key; answers its secret', body: apiKeyBody } },
    async (request) => {
      requirePermit(request.principal, 'api_key', 'PUT')
      const fields = readApiKey(request.body, BLANK)
      requireMayHandle(request.principal, fields)
      const { key, secret } = await identity.keys.insert(request.principal.orgUid, fields)
      await recordAct(identity, request, 'key_created', key)
      return envelope('api_key', { ...showApiKey(key), secretKey: secret })
    },
  )
  oneKeyRoutes(app, deps)
}

function oneKeyRoutes(app: App, { gate, identity }: { gate: Gate; identity: Identity }): void {
  const onRequest = gate.guard('admin')
  const keyOf = ({ principal, params }: { principal: Principal; params: { uid: string } }) =>
    findKey(identity, principal.orgUid, params.uid)
  app.get(
    '/api/api_key/:uid',
    { onRequest, schema: { tags, params: uidParams, summary: 'One key' } },
    async (request) => {
      requirePermit(request.principal, `api_key/${request.params.uid}`, 'GET')
      return envelope('api_key', showApiKey(await keyOf(request)))
    },
  )
  app.get(
    '/api/api_key/:uid/secret',
    { onRequest, schema: { tags, params: uidParams, summary: 'View Secret Key' } },
    async (request, reply) => {
      // A key that may only read must not gain what the keys it sees can do.
      requirePermit(request.principal, `api_key/${request.params.uid}`, 'POST')
      const key = await keyOf(request)
      requireMayHandle(request.principal, key)
      await recordAct(identity, request, 'key_revealed', key)
      reply.header('Cache-Control', 'no-store')
      return envelope('api_key', { uid: key.uid, secretKey: identity.keys.reveal(key) })
    },
  )
  app.post(
    '/api/api_key/:uid',
    { onRequest, schema: { tags, params: uidParams, summary: 'Update a key', body: apiKeyBody } },
    async (request) => {
      requirePermit(request.principal, `api_key/${request.params.uid}`, 'POST')
      const key = await keyOf(request)
      requireMayHandle(request.principal, key)
      const fields = readApiKey(request.body, key)
      requireMayHandle(request.principal, fields)
      const changed = await identity.keys.update(key, fields)
      await recordAct(identity, request, 'key_updated', changed)
      return envelope('api_key', showApiKey(changed))
    },
  )
  app.delete(
    '/api/api_key/:uid',
    { onRequest, schema: { tags, params: uidParams, summary: 'Revoke a key' } },
    async (request) => {
      requirePermit(request.principal, `api_key/${request.params.uid}`, 'DELETE')
      const key = await keyOf(request)
      await identity.keys.delete(key)
      await recordAct(identity, request, 'key_revoked', key)
      return envelope('api_key', { uid: key.uid })
    },
  )
}

async function findKey(identity: Identity, orgUid: string, uid: string): Promise<ApiKey> {
  const key = await identity.keys.find(orgUid, uid)
  if (key === undefined) refuse('not_found', { what: `Cannot find api_key "${uid.slice(0, 100)}"` })
  return key
}

function recordAct(
  identity: Identity,
  request: FastifyRequest,
  act: AuditAct,
  key: ApiKey,
): Promise<void> {
  const { principal } = request
  const address = exchangeOf(request.raw)?.address ?? ''
  const { orgUid } = principal
  const actor = actorName(principal)
  return identity.audit.record({ orgUid, act, actor, target: key.uid, address, detail: key.name })
}
