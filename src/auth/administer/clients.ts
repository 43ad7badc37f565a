import { allows, type Principal, requirePermit } from '../../access/index.ts'
import { newUid, refuse } from '../../base/index.ts'
import type { AuditAct } from '../audit-acts.ts'
import type { Identity } from '../identity.ts'
import {
  BLANK_CLIENT,
  type ClientFields,
  deleteClient,
  findClient,
  insertClient,
  listClientsFor,
  type OAuthBase,
  type RegisteredClient,
  renewClientSecret,
  updateClient,
} from '../oauth/index.ts'
import { type ActingCaller, actOf } from './acting-caller.ts'
import { requirePerson, requirePersonBehindDelegate } from './require-person.ts'

/** What the administration of OAuth clients and grants stands on. */
export interface OAuthParts {
  readonly oauth: OAuthBase
  readonly identity: Pick<Identity, 'audit' | 'confirmPassword' | 'confirmSecondFactor'>
}

/** A client, and its secret when this act made one: it is never shown again. */
interface ClientWithSecret {
  readonly client: RegisteredClient
  readonly secret: string | undefined
}

const NAME = 'oauth_client'

/** One page of the OAuth clients of the caller's organization, by name. */
export async function listOAuthClients(
  { oauth }: OAuthParts,
  { principal }: ActingCaller,
  page: { readonly start: number; readonly limit: number },
): Promise<{ clients: readonly RegisteredClient[]; totalCount: number }> {
  requirePermit(principal, NAME, 'GET')
  return listClientsFor(oauth, principal, page)
}

/** The organization whose OAuth clients a caller may see; undefined: none. */
export function findClientsOrg(principal: Principal): string | undefined {
  return allows(principal, NAME, 'GET') ? principal.orgUid : undefined
}

/** An OAuth client that is not saved. */
export function makeOAuthClient({ principal }: ActingCaller): ClientFields {
  requirePermit(principal, NAME, 'GET')
  return BLANK_CLIENT
}

/** One OAuth client of the caller's organization. */
export async function getOAuthClient(
  parts: OAuthParts,
  by: ActingCaller,
  uid: string,
): Promise<RegisteredClient> {
  requirePermit(by.principal, `${NAME}/${uid}`, 'GET')
  return findOwn(parts, by, uid)
}

/** Registers an OAuth client of the caller's organization. */
export async function insertOAuthClient(
  parts: OAuthParts,
  by: ActingCaller,
  given: Partial<ClientFields>,
): Promise<ClientWithSecret> {
  requirePermit(by.principal, NAME, 'PUT')
  await requirePersonBehindDelegate(parts.identity, by)
  const fields = withChanges(BLANK_CLIENT, given)
  const client = { uid: newUid(), orgUid: by.principal.orgUid }
  const act = planAct(parts, by, 'client_created', { ...fields, ...client })
  return insertClient(parts.oauth, { ...fields, ...client }, [act])
}

/** Changes an OAuth client; one that becomes confidential is given a secret. */
export async function changeOAuthClient(
  parts: OAuthParts,
  by: ActingCaller,
  uid: string,
  changes: Partial<ClientFields>,
): Promise<ClientWithSecret> {
  requirePermit(by.principal, `${NAME}/${uid}`, 'POST')
  const client = await findOwn(parts, by, uid)
  const fields = withChanges(client, changes)
  const isGivenSecret = fields.isConfidential && !client.isConfidential
  if (isGivenSecret) await requirePerson(parts.identity, by)
  else await requirePersonBehindDelegate(parts.identity, by)
  const act = planAct(parts, by, 'client_updated', { ...client, ...fields })
  return updateClient(parts.oauth, client, fields, [act])
}

/** Replaces the secret of an OAuth client: the one in use stops working at once. */
export async function renewOAuthClientSecret(
  parts: OAuthParts,
  by: ActingCaller,
  uid: string,
): Promise<ClientWithSecret> {
  requirePermit(by.principal, `${NAME}/${uid}`, 'POST')
  const client = await findOwn(parts, by, uid)
  await requirePerson(parts.identity, by)
  const act = planAct(parts, by, 'client_secret_renewed', client)
  return renewClientSecret(parts.oauth, client, [act])
}

/** Ends an OAuth client with its tokens; its client_id is never accepted again. */
export async function removeOAuthClient(
  parts: OAuthParts,
  by: ActingCaller,
  uid: string,
): Promise<void> {
  requirePermit(by.principal, `${NAME}/${uid}`, 'DELETE')
  const client = await findOwn(parts, by, uid)
  await requirePersonBehindDelegate(parts.identity, by)
  await deleteClient(parts.oauth, client, [planAct(parts, by, 'client_deleted', client)])
}

/** A client of another organization is as unknown as one that never was. */
async function findOwn(
  { oauth }: OAuthParts,
  { principal }: ActingCaller,
  uid: string,
): Promise<RegisteredClient> {
  const client = await findClient(oauth, uid)
  if (client !== undefined && !client.isDeleted && client.orgUid === principal.orgUid) return client
  refuse('not_found', { what: `Cannot find oauth_client "${uid.slice(0, 100)}"` })
}

function withChanges(before: ClientFields, changes: Partial<ClientFields>): ClientFields {
  return {
    name: changes.name ?? before.name,
    logo: changes.logo ?? before.logo,
    redirectUris: changes.redirectUris ?? before.redirectUris,
    isConfidential: changes.isConfidential ?? before.isConfidential,
    mayUseLogin: changes.mayUseLogin ?? before.mayUseLogin,
  }
}

function planAct(
  { identity }: OAuthParts,
  by: ActingCaller,
  act: AuditAct,
  client: Pick<RegisteredClient, 'uid' | 'name'>,
) {
  return identity.audit.plan(actOf(by, { act, target: client.uid, detail: client.name }))
}
