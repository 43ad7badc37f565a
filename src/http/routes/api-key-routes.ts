import {
  changeKey,
  getKey,
  insertKey,
  listKeys,
  makeKey,
  revealKey,
  revokeKey,
} from '../../auth/administer/index.ts'
import type { Identity } from '../../auth/index.ts'
import { actingIn } from '../admit/acting.ts'
import type { Gate } from '../admit/gate.ts'
import { needs } from '../admit/needs.ts'
import type { App } from '../app-type.ts'
import { answersOf, operation } from '../openapi/answer-schema.ts'
import { envelope, pageSchema, readPage } from '../wire/envelope.ts'
import {
  apiKeyRecord,
  apiKeySecret,
  blankApiKey,
  insertedApiKey,
} from '../wire/identity-answers.ts'
import {
  apiKeyBody,
  passwordHeader,
  readApiKey,
  showApiKey,
  uidParams,
} from '../wire/identity-wire.ts'

interface Deps {
  readonly gate: Gate
  readonly identity: Identity
}

const NAME = 'api_key'
const ONE = 'api_key/{uid}'
const tags = [NAME]
const params = uidParams
const body = apiKeyBody
const answers = answersOf(NAME, apiKeyRecord)

/** Adds the API keys of an organization: list, one, new, insert, update, delete, View Secret Key. */
export function apiKeyRoutes(app: App, deps: Deps): void {
  readingRoutes(app, deps)
  writingRoutes(app, deps)
}

function readingRoutes(app: App, { gate, identity }: Deps): void {
  const onRequest = gate.guard('admin')
  const listing = operation('listApiKeys', answers.page)
  const list = {
    tags,
    ...needs('GET', NAME),
    ...listing,
    summary: 'List the keys',
    querystring: pageSchema,
  }
  app.get('/api/api_key', { onRequest, schema: list }, async (request) => {
    const page = readPage(request.query)
    const { keys, totalCount } = await listKeys(identity, actingIn(request), page)
    return envelope(NAME, keys.map(showApiKey), totalCount)
  })
  const blanking = operation('newApiKey', answersOf(NAME, blankApiKey).one)
  const blank = { tags, ...needs('GET', NAME), ...blanking, summary: 'An unsaved key' }
  app.get('/api/api_key/new', { onRequest, schema: blank }, async (request) =>
    envelope(NAME, { ...makeKey(actingIn(request)), isEnabled: false }),
  )
  const getting = operation('getApiKey', answers.one)
  const one = { tags, ...needs('GET', ONE), ...getting, params, summary: 'One key' }
  app.get('/api/api_key/:uid', { onRequest, schema: one }, async (request) =>
    envelope(NAME, showApiKey(await getKey(identity, actingIn(request), request.params.uid))),
  )
  const revealing = operation('getApiKeySecret', answersOf(NAME, apiKeySecret).one)
  const secret = {
    tags,
    ...needs('POST', ONE),
    ...revealing,
    params,
    headers: passwordHeader,
    summary: 'View Secret Key',
  }
  app.get('/api/api_key/:uid/secret', { onRequest, schema: secret }, async (request, reply) => {
    const { uid } = request.params
    const { secret: secretKey } = await revealKey(identity, actingIn(request), uid)
    reply.header('Cache-Control', 'no-store')
    return envelope(NAME, { uid, secretKey })
  })
}

function writingRoutes(app: App, { gate, identity }: Deps): void {
  const onRequest = gate.guard('admin')
  const inserting = operation('insertApiKey', answersOf(NAME, insertedApiKey).one)
  const insert = {
    tags,
    ...needs('PUT', NAME),
    ...inserting,
    summary: 'Insert a key; answers its secret',
    body,
  }
  app.put('/api/api_key', { onRequest, schema: insert }, async (request, reply) => {
    const given = readApiKey(request.body)
    const { key, secret } = await insertKey(identity, actingIn(request), given)
    reply.header('Cache-Control', 'no-store')
    return envelope(NAME, { ...showApiKey(key), secretKey: secret })
  })
  const updating = operation('updateApiKey', answers.one)
  const update = { tags, ...needs('POST', ONE), ...updating, params, summary: 'Update a key', body }
  app.post('/api/api_key/:uid', { onRequest, schema: update }, async (request) => {
    const changes = readApiKey(request.body)
    const key = await changeKey(identity, actingIn(request), request.params.uid, changes)
    return envelope(NAME, showApiKey(key))
  })
  const revoking = operation('deleteApiKey', answers.gone)
  const revoke = {
    tags,
    ...needs('DELETE', ONE),
    ...revoking,
    params,
    headers: passwordHeader,
    summary: 'Revoke a key',
  }
  app.delete('/api/api_key/:uid', { onRequest, schema: revoke }, async (request) => {
    const { uid } = await revokeKey(identity, actingIn(request), request.params.uid)
    return envelope(NAME, { uid })
  })
}
