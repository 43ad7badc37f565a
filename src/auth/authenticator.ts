import {
  type Capabilities,
  networkOf,
  type Principal,
  tokenPrincipal,
  userPrincipal,
} from '../access/index.ts'
import { refusal, refuse } from '../base/index.ts'
import type { ApiKeys, ReadyKey } from './api-keys.ts'
import type { Credential, Credentials, Place } from './credentials.ts'
import type { Organizations } from './organizations.ts'
import type { FailureLimiter } from './proof/failure-limiter.ts'
import type { Sessions } from './sessions.ts'
import type { User, Users } from './users.ts'

/** A call as authentication sees it, whichever protocol brought it. */
export interface AuthCall extends Credentials {
  /** The caller's address, as IP lists mean it. */
  readonly address: string
}

/** Who calls, and by which credential. */
export interface Caller {
  readonly principal: Principal
  /** Names the credential for rate limits; never the secret itself. */
  readonly credentialName: string
  readonly place: Place
}

/** The user an OAuth access token stands for. */
interface BearerGrant {
  readonly userUid: string
  /** What the token's scope leaves of the user's rights; undefined: all of them. */
  readonly scope: Capabilities | undefined
  /** Whether the token's client may act in the organization. */
  acceptsOrganization(orgUid: string): boolean
}

/** Recognises OAuth access tokens; provided by the OAuth part. */
export interface BearerAuthenticator {
  /** Undefined for a token that is unknown, expired or taken back. */
  findGrant(token: string): Promise<BearerGrant | undefined>
  /** The same from memory; undefined: ask `findGrant`. */
  peekGrant(token: string): BearerGrant | undefined
}

interface AuthenticatorDeps {
  readonly keys: ApiKeys
  readonly sessions: Sessions
  readonly users: Users
  readonly organizations: Organizations
  readonly failures: FailureLimiter
  readonly bearers: BearerAuthenticator
}

/** Turns the credentials of a call into a principal, from memory where it can. */
export class Authenticator {
  readonly #deps: AuthenticatorDeps

  constructor(deps: AuthenticatorDeps) {
    this.#deps = deps
  }

  /** The caller when everything needed is in memory and in order; undefined: ask `authenticate`. */
  authenticateNow(call: AuthCall): Caller | undefined {
    const { credential, org } = call
    if (credential === undefined) return undefined
    if (credential.kind === 'bearer') {
      return this.#bearerNow(credential, org) ?? this.#bearerKeyNow(credential, call)
    }
    if (credential.kind === 'api_key') return this.#keyNow(credential, call)
    const userUid = this.#deps.sessions.useNow(credential.value)
    if (userUid === undefined) return this.#bearerNow(credential, org)
    const user = this.#deps.users.peek(userUid)
    const membership = user === undefined ? undefined : this.#choose(user, org)
    if (user === undefined || membership === undefined) return undefined
    return userCaller(userPrincipal({ userUid: user.uid, ...membership }), credential)
  }

  #keyNow(credential: Credential, { address }: AuthCall): Caller | undefined {
    const key = this.#deps.keys.peekReady(credential.value)
    if (key === undefined || key.isDisabled || !key.ips.includes(address)) return undefined
    if (this.#isGone(key.principal)) return undefined
    return keyCaller(key, credential)
  }

  /** A bearer that is known as an API key. */
  #bearerKeyNow(credential: Credential, call: AuthCall): Caller | undefined {
    const { beforeKey, value } = credential
    if (beforeKey === undefined) return this.#keyNow(credential, call)
    if (this.#deps.keys.peekReady(value) === undefined) return undefined
    return this.authenticateNow({ ...call, credential: beforeKey })
  }

  #bearerNow(credential: Credential, org: string | undefined): Caller | undefined {
    const grant = this.#deps.bearers.peekGrant(credential.value)
    const user = grant === undefined ? undefined : this.#deps.users.peek(grant.userUid)
    if (grant === undefined || user === undefined) return undefined
    const membership = this.#choose(withAccepting(user, grant), org)
    if (membership === undefined) return undefined
    return userCaller(tokenPrincipal({ userUid: user.uid, ...membership }, grant.scope), credential)
  }

  /** The caller; refuses with `unauthorized`, `forbidden`, `not_found` or, throttled, `rate_limited`. */
  async authenticate(call: AuthCall): Promise<Caller> {
    const { credential, org } = call
    if (credential === undefined) {
      refuse('unauthorized', {
        what: 'Credentials are missing. Send an API key in the header X-Api-Key, a token as Authorization: Bearer, or api_key or session as a URL parameter or cookie',
      })
    }
    switch (credential.kind) {
      case 'api_key':
        return this.#byKey(credential, call)
      case 'session':
        return this.#bySession(credential, org, call)
      case 'bearer':
        return this.#byBearer(credential, org, call)
    }
  }

  async #byKey(credential: Credential, call: AuthCall): Promise<Caller> {
    const key = await this.#deps.keys.findReady(credential.value)
    if (key === undefined || this.#isGone(key.principal)) {
      throw this.#failed(call, 'The API key is unknown')
    }
    if (key.isDisabled) {
      refuse('forbidden', { what: 'This API key is disabled because it has no capabilities' })
    }
    if (!key.ips.includes(call.address)) {
      refuse('forbidden', { what: `This API key cannot be used from ${call.address}` })
    }
    return keyCaller(key, credential)
  }

  async #bySession(credential: Credential, org: string | undefined, call: AuthCall) {
    const userUid = await this.#deps.sessions.use(credential.value)
    const user = userUid === undefined ? undefined : await this.#deps.users.find(userUid)
    if (user === undefined) {
      // The contract (2.6) lets an access token be used like a session token.
      const grant = await this.#deps.bearers.findGrant(credential.value)
      if (grant !== undefined) return this.#byBearer(credential, org, call)
      throw this.#failed(call, 'The session is unknown or has ended. Sign in')
    }
    const membership = this.#requireMembership(user, org)
    return userCaller(userPrincipal({ userUid: user.uid, ...membership }), credential)
  }

  async #byBearer(
    credential: Credential,
    org: string | undefined,
    call: AuthCall,
  ): Promise<Caller> {
    const grant = await this.#deps.bearers.findGrant(credential.value)
    const user = grant === undefined ? undefined : await this.#deps.users.find(grant.userUid)
    if (grant === undefined && credential.kind === 'bearer') {
      const key = await this.#deps.keys.findReady(credential.value)
      if (key !== undefined) {
        return await this.authenticate({
          ...call,
          credential: credential.beforeKey ?? { ...credential, kind: 'api_key' },
        })
      }
    }
    if (grant === undefined || user === undefined) {
      const what = 'The access token is unknown, expired, or revoked'
      throw this.#failed(call, what, 'invalid_token')
    }
    const open = withAccepting(user, grant)
    if (this.#choose(user, org) !== undefined && this.#choose(open, org) === undefined) {
      refuse('forbidden', { what: STRICT })
    }
    const membership = this.#requireMembership(open, org)
    const principal = tokenPrincipal({ userUid: user.uid, ...membership }, grant.scope)
    return userCaller(principal, credential)
  }

  #isGone({ orgUid }: Pick<Principal, 'orgUid'>): boolean {
    return this.#deps.organizations.isGone(orgUid)
  }

  /** The membership that a call means, in an organization that is there. */
  #choose({ memberships }: Pick<User, 'memberships'>, org: string | undefined) {
    return memberships.find(
      (one) => (org === undefined || one.orgUid === org) && !this.#isGone(one),
    )
  }

  #requireMembership(user: Pick<User, 'memberships'>, org: string | undefined) {
    const membership = this.#choose(user, org)
    if (membership !== undefined) return membership
    if (org === undefined) refuse('forbidden', { what: 'Your account belongs to no organization' })
    refuse('not_found', {
      what: `Cannot find organization "${org.slice(0, 100)}" among your organizations`,
    })
  }

  /** Right credentials are never throttled, wrong ones per network. */
  #failed(
    call: AuthCall,
    what: string,
    code: 'unauthorized' | 'invalid_token' = 'unauthorized',
  ): Error {
    const name = `credential ${networkOf(call.address)}`
    const decision = this.#deps.failures.take([{ name, factor: 1 }])
    if (!decision.isAllowed) {
      return refusal('rate_limited', { retryAfterSeconds: decision.retryAfterSeconds })
    }
    return refusal(code, { what })
  }
}

const STRICT = 'This organization accepts only registered OAuth clients'

function keyCaller(key: ReadyKey, { place }: Credential): Caller {
  const { principal } = key
  const credentialName = principal.actor.kind === 'api_key' ? principal.actor.keyUid : ''
  return { principal, credentialName, place }
}

function userCaller(principal: Principal, { place }: Credential): Caller {
  const credentialName = principal.actor.kind === 'user' ? principal.actor.userUid : ''
  return { principal, credentialName, place }
}

/** The user with the memberships in which the token's client may act. */
function withAccepting(user: User, grant: BearerGrant): Pick<User, 'memberships'> {
  const memberships = user.memberships.filter(({ orgUid }) => grant.acceptsOrganization(orgUid))
  return { memberships }
}
