import {
  changeOAuthClient,
  getOAuthClient,
  insertOAuthClient,
  listOAuthClients,
  listOwnGrants,
  makeOAuthClient,
  type OAuthParts,
  removeOAuthClient,
  renewOAuthClientSecret,
  revokeOwnGrant,
} from '../../auth/administer/index.ts'
import { answersOf, doneAnswer } from '../openapi/answer-schema.ts'
import { checkedJson, type HttpOperation, httpOperation } from '../table/http-operation.ts'
import { envelope, pageSchema, readPage } from '../wire/envelope.ts'
import { passwordHeader, uidParams } from '../wire/identity-wire.ts'
import { blankClient, clientRecord, grantRecord } from '../wire/oauth-answers.ts'
import {
  clientBodySchema,
  readClient,
  showClient,
  showClientFields,
  showGrant,
} from '../wire/oauth-client-wire.ts'

const CLIENT = 'oauth_client'
const clientAnswers = answersOf(CLIENT, clientRecord)
const all = { path: '/api/oauth_client', callers: 'admin', tag: 'oauth' } as const
const one = { ...all, path: '/api/oauth_client/:uid', ids: uidParams } as const

/** The OAuth clients that administrators register, and the grants that users see and revoke. */
export function oauthClientOperations(parts: OAuthParts): HttpOperation[] {
  return [...readingOperations(parts), ...writingOperations(parts), ...grantOperations(parts)]
}

function readingOperations(parts: OAuthParts): HttpOperation[] {
  return [
    httpOperation({
      ...all,
      name: 'listOAuthClients',
      methods: ['GET'],
      needs: 'GET oauth_client',
      summary: 'List OAuth clients, sorted by name',
      query: pageSchema,
      answer: clientAnswers.page,
      run: async ({ acting, query }) => {
        const { clients, totalCount } = await listOAuthClients(parts, acting, readPage(query))
        const shown = clients.map((client) => showClient(client))
        return envelope(CLIENT, shown, totalCount)
      },
    }),
    httpOperation({
      ...all,
      name: 'newOAuthClient',
      methods: ['GET'],
      path: '/api/oauth_client/new',
      needs: 'GET oauth_client',
      summary: 'Default values of a new OAuth client',
      answer: answersOf(CLIENT, blankClient).one,
      run: ({ acting }) => envelope(CLIENT, showClientFields(makeOAuthClient(acting))),
    }),
    httpOperation({
      ...one,
      name: 'getOAuthClient',
      methods: ['GET'],
      needs: 'GET oauth_client/{uid}',
      summary: 'Get an OAuth client',
      answer: clientAnswers.one,
      run: async ({ acting, ids }) =>
        envelope(CLIENT, showClient(await getOAuthClient(parts, acting, ids.uid))),
    }),
  ]
}

function writingOperations(parts: OAuthParts): HttpOperation[] {
  return [
    httpOperation({
      ...all,
      name: 'insertOAuthClient',
      methods: ['PUT'],
      needs: 'PUT oauth_client',
      summary: 'Register an OAuth client',
      input: checkedJson(clientBodySchema),
      answer: clientAnswers.one,
      isSecret: true,
      run: async ({ acting, body }) => {
        const { client, secret } = await insertOAuthClient(parts, acting, readClient(body))
        return envelope(CLIENT, showClient(client, secret))
      },
    }),
    httpOperation({
      ...one,
      name: 'updateOAuthClient',
      methods: ['POST'],
      needs: 'POST oauth_client/{uid}',
      summary: 'Change an OAuth client',
      input: checkedJson(clientBodySchema),
      answer: clientAnswers.one,
      isSecret: true,
      run: async ({ acting, ids, body }) => {
        const changes = readClient(body)
        const { client, secret } = await changeOAuthClient(parts, acting, ids.uid, changes)
        return envelope(CLIENT, showClient(client, secret))
      },
    }),
    httpOperation({
      ...one,
      name: 'renewOAuthClientSecret',
      methods: ['POST'],
      path: '/api/oauth_client/:uid/secret',
      needs: 'POST oauth_client/{uid}',
      summary: 'Replace the secret of an OAuth client',
      headers: passwordHeader,
      answer: clientAnswers.one,
      isSecret: true,
      run: async ({ acting, ids }) => {
        const { client, secret } = await renewOAuthClientSecret(parts, acting, ids.uid)
        return envelope(CLIENT, showClient(client, secret))
      },
    }),
    httpOperation({
      ...one,
      name: 'deleteOAuthClient',
      methods: ['DELETE'],
      needs: 'DELETE oauth_client/{uid}',
      summary: 'Delete an OAuth client and revoke its tokens',
      headers: passwordHeader,
      answer: doneAnswer,
      run: async ({ acting, ids }) => {
        await removeOAuthClient(parts, acting, ids.uid)
        return { message: '', success: true }
      },
    }),
  ]
}

const GRANT = 'oauth_grant'

function grantOperations(parts: OAuthParts): HttpOperation[] {
  return [
    httpOperation({
      name: 'listOAuthGrants',
      methods: ['GET'],
      path: '/api/oauth_grant',
      callers: 'admin',
      needs: 'GET oauth_grant',
      tag: 'oauth',
      summary: 'List your OAuth grants',
      query: pageSchema,
      answer: answersOf(GRANT, grantRecord).page,
      run: async ({ acting, query }) => {
        const { grants, totalCount } = await listOwnGrants(parts, acting, readPage(query))
        return envelope(GRANT, grants.map(showGrant), totalCount)
      },
    }),
    httpOperation({
      name: 'deleteOAuthGrant',
      methods: ['DELETE'],
      path: '/api/oauth_grant/:uid',
      callers: 'admin',
      needs: 'DELETE oauth_grant/{uid}',
      tag: 'oauth',
      summary: 'Revoke one of your OAuth grants',
      ids: uidParams,
      headers: passwordHeader,
      answer: doneAnswer,
      run: async ({ acting, ids }) => {
        await revokeOwnGrant(parts, acting, ids.uid)
        return { message: '', success: true }
      },
    }),
  ]
}
