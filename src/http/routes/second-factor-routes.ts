import type { TSchema } from 'typebox'
import {
  beginOwnFactor,
  confirmOwnFactor,
  getOwnFactor,
  removeOwnFactor,
} from '../../auth/administer/index.ts'
import type { Identity } from '../../auth/index.ts'
import { Type } from '../../base/index.ts'
import { actingIn } from '../admit/acting.ts'
import type { Gate } from '../admit/gate.ts'
import { needs } from '../admit/needs.ts'
import type { App } from '../app-type.ts'
import { answersOf, operation } from '../openapi/answer-schema.ts'
import { forPeople } from '../openapi/security-schemes.ts'
import { envelope } from '../wire/envelope.ts'
import { begunFactor, confirmedFactor, endedFactor, factorState } from '../wire/identity-answers.ts'
import { passwordHeader } from '../wire/identity-wire.ts'

interface Deps {
  readonly gate: Gate
  readonly identity: Identity
}

const NAME = 'second_factor'
const PATH = '/api/second_factor'
const tags = [NAME]
const security = forPeople
const answer = (id: string, record: TSchema) => operation(id, answersOf(NAME, record).one)
const otp = Type.String({ maxLength: 64, description: 'A code of the authenticator app' })
const beginBody = Type.Object(
  { currentPassword: Type.Optional(Type.String()) },
  { examples: [{ currentPassword: 'correct horse battery' }] },
)
const confirmBody = Type.Object(
  { second_factor: Type.Object({ otp }) },
  { examples: [{ second_factor: { otp: '123456' } }] },
)
const NO_STORE = { 'cache-control': 'no-store' }

/** Adds the caller's own second factor: state, begin, confirm, end. */
export function secondFactorRoutes(app: App, { gate, identity }: Deps): void {
  const onRequest = gate.guard('admin')
  const telling = answer('getSecondFactor', factorState)
  const state = {
    tags,
    security,
    ...needs('GET', NAME),
    ...telling,
    summary: 'Whether you have a second factor',
  }
  app.get(PATH, { onRequest, schema: state }, async (request) =>
    envelope(NAME, await getOwnFactor(identity, actingIn(request))),
  )
  const summary = 'Begin a second factor: tells the secret, once'
  const beginning = answer('beginSecondFactor', begunFactor)
  const begin = { tags, security, ...needs('PUT', NAME), ...beginning, summary, body: beginBody }
  app.put(PATH, { onRequest, schema: begin }, async (request, reply) => {
    reply.headers(NO_STORE)
    return envelope(NAME, await beginOwnFactor(identity, actingIn(request)))
  })
  const confirming = 'Put it in force by a code: tells the recovery codes, once'
  const confirmed = answer('confirmSecondFactor', confirmedFactor)
  const confirm = {
    tags,
    security,
    ...needs('POST', NAME),
    ...confirmed,
    summary: confirming,
    body: confirmBody,
  }
  app.post(PATH, { onRequest, schema: confirm }, async (request, reply) => {
    reply.headers(NO_STORE)
    const code = request.body.second_factor.otp
    const recoveryCodes = await confirmOwnFactor(identity, actingIn(request), code)
    return envelope(NAME, { isOn: true, recoveryCodes })
  })
  const ending = 'End it: with the headers Weir-Password and Weir-Otp'
  const ended = answer('endSecondFactor', endedFactor)
  const headers = passwordHeader
  const end = { tags, security, ...needs('DELETE', NAME), ...ended, headers, summary: ending }
  app.delete(PATH, { onRequest, schema: end }, async (request) => {
    await removeOwnFactor(identity, actingIn(request))
    return envelope(NAME, { isOn: false })
  })
}
