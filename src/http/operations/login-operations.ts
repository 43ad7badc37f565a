/** Signing in and out, who has signed in, the caller's own sessions, and the caller's own second factor. */
import {
  beginOwnFactor,
  confirmOwnFactor,
  endOwnSession,
  findSelf,
  getOwnFactor,
  listOwnSessions,
  removeOwnFactor,
} from '../../auth/administer/index.ts'
import {
  DEVICE_LIFE_MS,
  type Identity,
  type ShownSession,
  signOut,
  type User,
} from '../../auth/index.ts'
import { Refusal, refuse, Type } from '../../base/index.ts'
import type { Gate } from '../admit/gate.ts'
import { requireOwnSite } from '../admit/own-site.ts'
import { DEVICE_COOKIE, readCookie, SESSION_COOKIE } from '../admit/read-cookie.ts'
import { readCredentials } from '../admit/read-credentials.ts'
import { answersOf, doneAnswer } from '../openapi/answer-schema.ts'
import { forPeople } from '../openapi/security-schemes.ts'
import type { Call } from '../table/call.ts'
import { Answer } from '../table/call-answer.ts'
import { weirDialect } from '../table/dialect.ts'
import { checkedJson, type HttpOperation, httpOperation } from '../table/http-operation.ts'
import { envelope, pageSchema, readPage } from '../wire/envelope.ts'
import {
  begunFactor,
  confirmedFactor,
  endedFactor,
  factorState,
  loginAnswer,
  sessionRecord,
  sessionStateAnswer,
  signedInAnswer,
} from '../wire/identity-answers.ts'
import { passwordHeader, uidParams } from '../wire/identity-wire.ts'
import { loginBody } from '../wire/login-wire.ts'

/** What the operations of signing in need. */
interface LoginOperationsDeps {
  readonly gate: Gate
  readonly identity: Identity
  /** Whether the service speaks HTTPS, here or at a proxy: the cookie then never goes over HTTP. */
  readonly isSecure: boolean
}

/** An address and a password, longer than any; nobody has said who sends it. */
const LOGIN_BYTES_MAX = 16 * 1024

const DEVICE_AGE = `; Max-Age=${DEVICE_LIFE_MS / 1_000}`

const login = { path: '/api/login', tag: 'login' } as const

/** POST /api/login (sign in, get a session), GET (who has it), DELETE (end it), sessions, second factors. */
export function loginOperations(deps: LoginOperationsDeps): HttpOperation[] {
  const { identity, isSecure } = deps
  const cookie = (pair: string, rest = '') =>
    `${pair}; Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}${rest}`
  return [
    ...stateOperations(deps),
    httpOperation({
      ...login,
      name: 'login',
      methods: ['POST'],
      callers: 'anyone',
      summary: 'Sign in',
      input: checkedJson(loginBody, LOGIN_BYTES_MAX),
      answer: loginAnswer,
      security: [],
      errors: [400, 401, 408, 413, 415, 429],
      run: async ({ body, address, header }) => {
        const device = readCookie(header('cookie'), DEVICE_COOKIE)
        const user = await identity.signIn({ ...body, address, device })
        const client = header('user-agent') ?? ''
        const sessionUid = await identity.openSession(user, { address, client })
        await endBefore(identity, header('cookie'), user)
        const renewed = identity.renewDevice(user, device)
        const cookies = [cookie(`${SESSION_COOKIE}=${sessionUid}`)]
        if (renewed !== undefined) cookies.push(cookie(`${DEVICE_COOKIE}=${renewed}`, DEVICE_AGE))
        const shown = { message: '', success: true, sessionUid, ...showUser(identity, user) }
        const headers = { 'Set-Cookie': cookies, 'Cache-Control': 'no-store' }
        return new Answer(JSON.stringify(shown), { headers })
      },
    }),
    httpOperation({
      ...login,
      name: 'logout',
      methods: ['DELETE'],
      callers: 'anyone',
      summary: 'Sign out: end the session of the request',
      answer: doneAnswer,
      security: forPeople,
      run: async (call) => {
        const userUid = await endSession(identity, call)
        if (userUid === undefined) refuse('unauthorized', { what: 'The request has no session' })
        const headers = { 'Set-Cookie': cookie(`${SESSION_COOKIE}=`, '; Max-Age=0') }
        return new Answer(JSON.stringify({ message: '', success: true }), { headers })
      },
    }),
    ...sessionOperations(identity),
    ...factorOperations(identity),
  ]
}

function stateOperations({ gate, identity }: LoginOperationsDeps): HttpOperation[] {
  return [
    httpOperation({
      ...login,
      name: 'getLogin',
      methods: ['GET'],
      callers: 'admin',
      needs: 'GET login',
      summary: 'The signed-in user and their organizations',
      answer: signedInAnswer,
      security: forPeople,
      isSecret: true,
      run: async ({ acting, principal: { orgUid } }) => {
        const user = await findSelf(identity, acting)
        const { email, timeZone: timeZoneId } = user
        return {
          message: '',
          success: true,
          ...showUser(identity, user),
          email,
          timeZoneId,
          orgUid,
        }
      },
    }),
    httpOperation({
      ...login,
      name: 'getLoginSession',
      methods: ['GET'],
      path: '/api/login/session',
      callers: 'anyone',
      summary: 'Whether the request has a valid session',
      answer: sessionStateAnswer,
      security: [],
      errors: [404, 429],
      isSecret: true,
      run: async (call) => ({ message: '', success: true, signedIn: await isSignedIn(gate, call) }),
    }),
  ]
}

/** Whether a person calls; every other answer of the gate than 401 is passed on. */
async function isSignedIn(gate: Gate, { exchange }: Call): Promise<boolean> {
  try {
    const arrival = { exchange, dialect: weirDialect, countedAs: 'admin' } as const
    const { principal } = await gate.admit(arrival)
    return principal.actor.kind === 'user'
  } catch (error) {
    if (error instanceof Refusal && error.status === 401) return false
    throw error
  }
}

/** A new sign-in ends the session that the browser has forgotten. */
async function endBefore({ sessions }: Identity, cookie: string | undefined, user: User) {
  const before = readCookie(cookie, SESSION_COOKIE)
  if (before === undefined) return
  if ((await sessions.use(before)) === user.uid) await sessions.end(before)
}

async function endSession(
  identity: Identity,
  { exchange: { req, address } }: Call,
): Promise<string | undefined> {
  const { url = '', headers } = req
  const { credential } = readCredentials({ url, cookie: headers.cookie, authorization: undefined })
  if (credential?.kind !== 'session') return undefined
  requireOwnSite(req, credential)
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

const own = { callers: 'admin', security: forPeople } as const
const sessionAnswers = answersOf('session', sessionRecord)

function sessionOperations(identity: Identity): HttpOperation[] {
  return [
    httpOperation({
      ...own,
      name: 'listSessions',
      methods: ['GET'],
      path: '/api/session',
      needs: 'GET session',
      tag: 'session',
      summary: 'List your sessions',
      query: pageSchema,
      answer: sessionAnswers.page,
      run: async ({ acting, query }) => {
        const { sessions, totalCount } = await listOwnSessions(identity, acting, readPage(query))
        return envelope('session', sessions.map(showSession), totalCount)
      },
    }),
    httpOperation({
      ...own,
      name: 'endSession',
      methods: ['DELETE'],
      path: '/api/session/:uid',
      needs: 'DELETE session/{uid}',
      tag: 'session',
      summary: 'End one of your sessions',
      ids: uidParams,
      answer: sessionAnswers.gone,
      run: async ({ acting, ids: { uid } }) => {
        await endOwnSession(identity, acting, uid)
        return envelope('session', { uid })
      },
    }),
  ]
}

function showSession(session: ShownSession) {
  const { uid, address, client, createdAtMs, usedAtMs, endsAtMs, isCurrent } = session
  const dates = { creationDate: createdAtMs, lastUseDate: usedAtMs, endDate: endsAtMs }
  return { uid, address, client, ...dates, isCurrent }
}

const FACTOR = 'second_factor'
const otp = Type.String({ maxLength: 64, description: 'A code of the authenticator app' })
const beginBody = Type.Object(
  { currentPassword: Type.Optional(Type.String()) },
  { examples: [{ currentPassword: 'correct horse battery' }] },
)
const confirmBody = Type.Object(
  { second_factor: Type.Object({ otp }) },
  { examples: [{ second_factor: { otp: '123456' } }] },
)

/** The caller's own second factor: state, begin, confirm, end. */
function factorOperations(identity: Identity): HttpOperation[] {
  const factor = { ...own, path: '/api/second_factor', tag: FACTOR } as const
  return [
    httpOperation({
      ...factor,
      name: 'getSecondFactor',
      methods: ['GET'],
      needs: 'GET second_factor',
      summary: 'State of your second factor',
      answer: answersOf(FACTOR, factorState).one,
      run: async ({ acting }) => envelope(FACTOR, await getOwnFactor(identity, acting)),
    }),
    httpOperation({
      ...factor,
      name: 'beginSecondFactor',
      methods: ['PUT'],
      needs: 'PUT second_factor',
      summary: 'Start to set up a second factor. Returns the secret once',
      input: checkedJson(beginBody),
      answer: answersOf(FACTOR, begunFactor).one,
      isSecret: true,
      run: async ({ acting }) => envelope(FACTOR, await beginOwnFactor(identity, acting)),
    }),
    httpOperation({
      ...factor,
      name: 'confirmSecondFactor',
      methods: ['POST'],
      needs: 'POST second_factor',
      summary: 'Confirm the second factor with a code. Returns the recovery codes once',
      input: checkedJson(confirmBody),
      answer: answersOf(FACTOR, confirmedFactor).one,
      isSecret: true,
      run: async ({ acting, body }) => {
        const recoveryCodes = await confirmOwnFactor(identity, acting, body.second_factor.otp)
        return envelope(FACTOR, { isOn: true, recoveryCodes })
      },
    }),
    httpOperation({
      ...factor,
      name: 'endSecondFactor',
      methods: ['DELETE'],
      needs: 'DELETE second_factor',
      summary: 'Turn it off. Requires the headers Weir-Password and Weir-Otp',
      headers: passwordHeader,
      answer: answersOf(FACTOR, endedFactor).one,
      run: async ({ acting }) => {
        await removeOwnFactor(identity, acting)
        return envelope(FACTOR, { isOn: false })
      },
    }),
  ]
}
