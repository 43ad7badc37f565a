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
import { answersOf } from '../openapi/answer-schema.ts'
import { checkedJson, type HttpOperation, httpOperation } from '../table/http-operation.ts'
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

const NAME = 'api_key'
const answers = answersOf(NAME, apiKeyRecord)
const all = { path: '/api/api_key', callers: 'admin', tag: NAME } as const
const one = { ...all, path: '/api/api_key/:uid', ids: uidParams } as const

/** The API keys of an organization: list, one, new, insert, update, delete, View Secret Key. */
export function apiKeyOperations(identity: Identity): HttpOperation[] {
  return [...readingOperations(identity), ...writingOperations(identity)]
}

function readingOperations(identity: Identity): HttpOperation[] {
  return [
    httpOperation({
      ...all,
      name: 'listApiKeys',
      methods: ['GET'],
      needs: 'GET api_key',
      summary: 'List the keys',
      query: pageSchema,
      answer: answers.page,
      run: async ({ acting, query }) => {
        const { keys, totalCount } = await listKeys(identity, acting, readPage(query))
        return envelope(NAME, keys.map(showApiKey), totalCount)
      },
    }),
    httpOperation({
      ...all,
      name: 'newApiKey',
      methods: ['GET'],
      path: '/api/api_key/new',
      needs: 'GET api_key',
      summary: 'Default values of a new key',
      answer: answersOf(NAME, blankApiKey).one,
      run: ({ acting }) => envelope(NAME, { ...makeKey(acting), isEnabled: false }),
    }),
    httpOperation({
      ...one,
      name: 'getApiKey',
      methods: ['GET'],
      needs: 'GET api_key/{uid}',
      summary: 'One key',
      answer: answers.one,
      run: async ({ acting, ids }) =>
        envelope(NAME, showApiKey(await getKey(identity, acting, ids.uid))),
    }),
    httpOperation({
      ...one,
      name: 'getApiKeySecret',
      methods: ['GET'],
      path: '/api/api_key/:uid/secret',
      needs: 'POST api_key/{uid}',
      summary: 'View Secret Key',
      headers: passwordHeader,
      answer: answersOf(NAME, apiKeySecret).one,
      isSecret: true,
      run: async ({ acting, ids: { uid } }) => {
        const { secret: secretKey } = await revealKey(identity, acting, uid)
        return envelope(NAME, { uid, secretKey })
      },
    }),
  ]
}

function writingOperations(identity: Identity): HttpOperation[] {
  return [
    httpOperation({
      ...all,
      name: 'insertApiKey',
      methods: ['PUT'],
      needs: 'PUT api_key',
      summary: 'Create a key and return its secret',
      input: checkedJson(apiKeyBody),
      answer: answersOf(NAME, insertedApiKey).one,
      isSecret: true,
      run: async ({ acting, body }) => {
        const { key, secret } = await insertKey(identity, acting, readApiKey(body))
        return envelope(NAME, { ...showApiKey(key), secretKey: secret })
      },
    }),
    httpOperation({
      ...one,
      name: 'updateApiKey',
      methods: ['POST'],
      needs: 'POST api_key/{uid}',
      summary: 'Update a key',
      input: checkedJson(apiKeyBody),
      answer: answers.one,
      run: async ({ acting, ids, body }) =>
        envelope(NAME, showApiKey(await changeKey(identity, acting, ids.uid, readApiKey(body)))),
    }),
    httpOperation({
      ...one,
      name: 'deleteApiKey',
      methods: ['DELETE'],
      needs: 'DELETE api_key/{uid}',
      summary: 'Revoke a key',
      headers: passwordHeader,
      answer: answers.gone,
      run: async ({ acting, ids }) => {
        const { uid } = await revokeKey(identity, acting, ids.uid)
        return envelope(NAME, { uid })
      },
    }),
  ]
}
