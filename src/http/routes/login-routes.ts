import type { FastifyReply, FastifyRequest } from 'fastify'
import { findSelf } from '../../auth/administer/index.ts'
import { DEVICE_LIFE_MS, type Identity, signOut, type User } from '../../auth/index.ts'
import { Refusal, refuse } from '../../base/index.ts'
import { actingIn } from '../admit/acting.ts'
import type { Gate } from '../admit/gate.ts'
import { needs } from '../admit/needs.ts'
import { requireOwnSite } from '../admit/own-site.ts'
import { DEVICE_COOKIE, readCookie, SESSION_COOKIE } from '../admit/read-cookie.ts'
import { readCredentials } from '../admit/read-credentials.ts'
import type { App } from '../app-type.ts'
import { doneAnswer, operation } from '../openapi/answer-schema.ts'
import { forPeople } from '../openapi/security-schemes.ts'
import { exchangeOf } from '../transport/exchange.ts'
import { loginAnswer, sessionStateAnswer, signedInAnswer } from '../wire/identity-answers.ts'
import { loginBody } from '../wire/login-wire.ts'

/** What the login routes need. */
interface LoginRoutesDeps {
  readonly gate: Gate
  readonly identity: Identity
  /** Whether the service speaks HTTPS, here or at a proxy: the cookie then never goes over HTTP. */
  readonly isSecure: boolean
}

/** An address and a password, longer than any; nobody has said who sends it. */
const LOGIN_BYTES_MAX = 16 * 1024

const DEVICE_AGE = `; Max-Age=${DEVICE_LIFE_MS / 1_000}`

const tags = ['login']
const security: [] = []

/** Adds POST /api/login (sign in, get a session), GET (who has it), DELETE (end it), and GET /api/login/session. */
export function loginRoutes(app: App, { gate, identity, isSecure }: LoginRoutesDeps): void {
  const who = {
    tags,
    security: forPeople,
    summary: 'Who has signed in, and where they belong',
    ...needs('GET', 'login'),
    ...operation('getLogin', signedInAnswer),
  }
  const onRequest = gate.guard('admin')
  app.get('/api/login', { onRequest, schema: who }, async (request, reply) => {
    const user = await findSelf(identity, actingIn(request))
    reply.header('Cache-Control', 'no-store')
    const { email, timeZone: timeZoneId } = user
    const { orgUid } = request.principal
    return { message: '', success: true, ...showUser(identity, user), email, timeZoneId, orgUid }
  })
  const state = {
    tags,
    security,
    summary: 'Whether the call carries a session that is valid',
    ...operation('getLoginSession', sessionStateAnswer),
    'x-errors': [404, 429],
  }
  app.get('/api/login/session', { schema: state }, async (request, reply) => {
    reply.header('Cache-Control', 'no-store')
    return { message: '', success: true, signedIn: await isSignedIn(gate, request, reply) }
  })
  const cookie = (pair: string, rest = '') =>
    `${pair}; Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}${rest}`
  app.post(
    '/api/login',
    {
      bodyLimit: LOGIN_BYTES_MAX,
      schema: {
        tags,
        security,
        summary: 'Sign in',
        body: loginBody,
        ...operation('login', loginAnswer),
        'x-errors': [400, 401, 408, 413, 415, 429],
      },
    },
    async (request, reply) => {
      const { email, password, otp } = request.body
      const address = exchangeOf(request.raw)?.address ?? ''
      const client = request.headers['user-agent'] ?? ''
      const device = readCookie(request.headers.cookie, DEVICE_COOKIE)
      const user = await identity.signIn({ email, password, otp, address, device })
      const sessionUid = await identity.openSession(user, { address, client })
      await endBefore(identity, request, user)
      const renewed = identity.renewDevice(user, device)
      const cookies = [cookie(`${SESSION_COOKIE}=${sessionUid}`)]
      if (renewed !== undefined) cookies.push(cookie(`${DEVICE_COOKIE}=${renewed}`, DEVICE_AGE))
      reply.header('Set-Cookie', cookies).header('Cache-Control', 'no-store')
      return { message: '', success: true, sessionUid, ...showUser(identity, user) }
    },
  )
  app.delete(
    '/api/login',
    {
      schema: {
        tags,
        security: forPeople,
        summary: 'End the session that the call carries',
        ...operation('logout', doneAnswer),
      },
    },
    async (request, reply) => {
      const userUid = await endSession(identity, request)
      if (userUid === undefined) refuse('unauthorized', { what: 'There is no session to end' })
      reply.header('Set-Cookie', cookie(`${SESSION_COOKIE}=`, '; Max-Age=0'))
      return { message: '', success: true }
    },
  )
}

/** Whether a person calls; every other answer of the gate than 401 is passed on. */
async function isSignedIn(
  gate: Gate,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<boolean> {
  try {
    await gate.guard('admin')(request, reply)
    return request.principal.actor.kind === 'user'
  } catch (error) {
    if (error instanceof Refusal && error.status === 401) return false
    throw error
  }
}

/** Whoever signs in again leaves no session behind that the browser has forgotten. */
async function endBefore({ sessions }: Identity, request: FastifyRequest, user: User) {
  const before = readCookie(request.headers.cookie, SESSION_COOKIE)
  if (before === undefined) return
  if ((await sessions.use(before)) === user.uid) await sessions.end(before)
}

async function endSession(
  identity: Identity,
  request: FastifyRequest,
): Promise<string | undefined> {
  const { cookie } = request.headers
  const { credential } = readCredentials({ url: request.url, cookie, authorization: undefined })
  if (credential?.kind !== 'session') return undefined
  requireOwnSite(request.raw, credential)
  const address = exchangeOf(request.raw)?.address ?? ''
  return signOut(identity, { token: credential.value, address })
}

function showUser({ organizations }: Identity, user: User) {
  return {
    organization: user.memberships
      .filter(({ orgUid }) => !organizations.isGone(orgUid))
      .map(({ orgUid, role }) => ({
        uid: orgUid,
        name: organizations.find(orgUid)?.name ?? '',
        role,
      })),
    userUid: user.uid,
    userFirstName: user.firstName,
    userLastName: user.lastName,
  }
}
