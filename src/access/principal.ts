import { refuse } from '../base/plain.ts'
import { Capabilities, type CapabilityEntry, type FeedCoverage, type Method } from './capability.ts'
import type { IpList } from './ip-list.ts'

/** What a user is in an organization; GUEST may only read. */
export const roles = ['OWNER', 'ADMIN', 'MEMBER', 'GUEST'] as const
export type Role = (typeof roles)[number]

/** Who acts: a signed-in user (or a token of one), or an API key. */
type Actor =
  | { readonly kind: 'user'; readonly userUid: string; readonly role: Role }
  | { readonly kind: 'api_key'; readonly keyUid: string }

/** An authenticated caller in one organization, with what it may do there. */
export interface Principal {
  readonly orgUid: string
  readonly actor: Actor
  readonly capabilities: Capabilities
  /** Whether an access token acts for the user, who need not be there. */
  readonly isToken?: true
  /** What a token's scope leaves of the capabilities; undefined: all of them. */
  readonly scope?: Capabilities
  /** Where an API key may be used from; undefined: anywhere. */
  readonly ips?: IpList
}

const ALL_METHODS: readonly Method[] = ['GET', 'PUT', 'POST', 'DELETE']
const none = (resource: string): CapabilityEntry => ({ resource, methods: [] })
const readOnly = (resource: string): CapabilityEntry => ({ resource, methods: ['GET'] })
const administration = ['api_key', 'audit', 'door', 'oauth_client', 'storage'].map(none)
const readable = [readOnly('organization'), readOnly('org_user')]
const everything = new Capabilities([{ resource: '*', methods: ALL_METHODS }])

const roleCapabilities: Readonly<Record<Role, Capabilities>> = {
  OWNER: everything,
  ADMIN: everything,
  MEMBER: new Capabilities([
    { resource: '*', methods: ALL_METHODS },
    ...administration,
    ...readable,
  ]),
  GUEST: new Capabilities([readOnly('*'), ...administration]),
}

interface UserInOrganization {
  readonly orgUid: string
  readonly userUid: string
  readonly role: Role
}

/** A user in one organization, with the rights of the role. */
export function userPrincipal({ orgUid, userUid, role }: UserInOrganization): Principal {
  return { orgUid, actor: { kind: 'user', userUid, role }, capabilities: roleCapabilities[role] }
}

/** An access token of a user, with the rights of the role, narrowed to a scope when it has one. */
export function tokenPrincipal(
  user: UserInOrganization,
  scope: Capabilities | undefined,
): Principal {
  return { ...userPrincipal(user), isToken: true, scope }
}

/** An API key of an organization, with its compiled capabilities. */
export function keyPrincipal(key: {
  readonly orgUid: string
  readonly keyUid: string
  readonly capabilities: Capabilities
  readonly ips?: IpList
}): Principal {
  const { orgUid, keyUid, capabilities, ips } = key
  return { orgUid, actor: { kind: 'api_key', keyUid }, capabilities, ips }
}

/** Whether the caller may use a method on a resource, such as `component/<uid>/feed` or `unit`. */
export function allows(principal: Principal, resource: string, method: Method): boolean {
  return (
    principal.capabilities.gives(resource, method) &&
    (principal.scope === undefined || principal.scope.gives(resource, method))
  )
}

/** Whether all feeds are open to a method; false only means that each has to be asked for. */
export function allowsEveryFeed(principal: Principal, method: Method): boolean {
  const { capabilities, scope } = principal
  return capabilities.givesEveryFeed(method) && (scope?.givesEveryFeed(method) ?? true)
}

/**
 * Refuses with `forbidden` a caller who may use a method on no feed at all, before a body is
 * read. Which feeds a call needs is asked once they are known.
 */
export function requireSomeFeed(principal: Principal, method: Method): void {
  const { capabilities, scope } = principal
  if (capabilities.mayGiveFeed(method) && (scope?.mayGiveFeed(method) ?? true)) return
  requirePermit(principal, 'component/*/feed', method)
}

/** As `allows` for the feeds of one component: all its streams, none, or to be asked one by one. */
export function feedCoverage(
  principal: Principal,
  componentUid: string,
  method: Method,
): FeedCoverage {
  const own = principal.capabilities.feedCoverage(componentUid, method)
  if (principal.scope === undefined || own === 'none') return own
  const scoped = principal.scope.feedCoverage(componentUid, method)
  return scoped === 'all' ? own : scoped
}

/**
 * Refuses with `forbidden`, naming resource and method, unless the caller may do it. `shown` names the resource
 * in words of the caller where its path holds a UID that the caller did not give and may not see.
 */
export function requirePermit(
  principal: Principal,
  resource: string,
  method: Method,
  shown = resource,
): void {
  if (allows(principal, resource, method)) return
  if (principal.scope !== undefined && principal.capabilities.gives(resource, method)) {
    const what = `The scope of this token does not allow ${method} on ${shown}. Request a wider scope`
    refuse('insufficient_scope', { what })
  }
  const what =
    principal.actor.kind === 'api_key'
      ? `This API key does not allow ${method} on ${shown}. Add it to the key's capabilities`
      : `You may not ${method} ${shown} with your role in this organization`
  refuse('forbidden', { what })
}

/**
 * Refuses with `forbidden` unless the caller has itself all that a key gives, so that nobody gains
 * rights by making a key, changing one or reading its secret.
 */
export function requireCovers(
  principal: Principal,
  key: {
    readonly capabilities: readonly CapabilityEntry[]
    readonly ipAddresses: readonly string[]
  },
): void {
  const { ips } = principal
  const beyond = findBeyond(principal, new Capabilities(key.capabilities))
  if (beyond !== undefined) {
    const { method, resource } = beyond
    const what = `${kindOf(principal)} does not allow ${method} on ${resource}, so it cannot create, change, or reveal a key that does. Remove it from api_key.capabilities, or sign in as an administrator`
    refuse('forbidden', { what })
  }
  if (ips?.coversList(key.ipAddresses) === false) {
    const what =
      'This API key is limited to IP addresses, so it cannot create, change, or reveal a key for other addresses. List some of its own addresses in api_key.ipAddresses, or sign in as an administrator'
    refuse('forbidden', { what })
  }
}

/**
 * Refuses with `forbidden` when the caller has fewer permissions than the user behind it and lacks one that the role
 * grants. Anyone who creates or invites a user can learn the password and sign in. Permissions that the role `before`
 * already grants are not required.
 */
export function requireCoversRole(principal: Principal, role: Role, before?: Role): void {
  if (!isDelegate(principal)) return
  const given = roleCapabilities[role]
  if (before !== undefined && roleCapabilities[before].findBeyond(given) === undefined) return
  const beyond = findBeyond(principal, given)
  if (beyond !== undefined) {
    const { method, resource } = beyond
    const what = `${kindOf(principal)} does not allow ${method} on ${resource}, so it cannot assign the role ${role}. Use another role, or sign in as an administrator`
    refuse('forbidden', { what })
  }
  if (principal.ips?.coversList([]) === false) {
    const what = `This API key is limited to IP addresses, so it cannot assign the role ${role}, which can sign in from anywhere. Sign in as an administrator`
    refuse('forbidden', { what })
  }
}

/** What a role gives that the caller has not: one resource and method, or undefined when there is none. */
export function findBeyondRole(
  principal: Principal,
  role: Role,
): { readonly resource: string; readonly method: Method } | undefined {
  return findBeyond(principal, roleCapabilities[role])
}

function findBeyond({ capabilities, scope }: Principal, given: Capabilities) {
  return capabilities.findBeyond(given) ?? scope?.findBeyond(given)
}

function kindOf({ actor }: Principal): string {
  return actor.kind === 'api_key' ? 'This API key' : 'This access token'
}

/** Whether a caller who was looked up again has all that it had, so that what was permitted to it still is. */
export function hasKept(before: Principal, after: Principal): boolean {
  if (before === after) return true
  return (
    after.orgUid === before.orgUid &&
    after.isToken === before.isToken &&
    isActorKept(before.actor, after.actor) &&
    isCovered(before.capabilities, after.capabilities) &&
    isCovered(before.scope ?? everything, after.scope ?? everything) &&
    (after.ips === undefined || (before.ips !== undefined && after.ips.covers(before.ips)))
  )
}

function isActorKept(before: Actor, after: Actor): boolean {
  if (before.kind === 'api_key') return after.kind === 'api_key' && after.keyUid === before.keyUid
  if (after.kind !== 'user' || after.userUid !== before.userUid) return false
  // Roles are named from the one that may most.
  return roles.indexOf(after.role) <= roles.indexOf(before.role)
}

function isCovered(before: Capabilities, after: Capabilities): boolean {
  return before === after || after.findBeyond(before) === undefined
}

/** Whether the caller acts for someone who need not be there: an API key or an access token. */
export function isDelegate({ actor, isToken }: Principal): boolean {
  return actor.kind === 'api_key' || isToken === true
}

/** Whether the caller administers the organization: its users, keys, clients and audit log. */
export function isAdministrator(principal: Principal): boolean {
  const { actor, scope } = principal
  if (scope !== undefined && !scope.gives('org_user', 'PUT')) return false
  return actor.kind === 'user' && (actor.role === 'OWNER' || actor.role === 'ADMIN')
}

/** The names right below a root about which the caller's entries or scope say something of their own. */
export function namedBelow({ capabilities, scope }: Principal, root: string): ReadonlySet<string> {
  return new Set([...capabilities.namesBelow(root), ...(scope?.namesBelow(root) ?? [])])
}
