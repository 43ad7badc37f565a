import { timingSafeEqual } from 'node:crypto'
import type { Principal } from '../../access/index.ts'
import { hashSecret, newSecret, refuse } from '../../base/index.ts'
import { listPermitted } from '../../catalog/index.ts'
import {
  CatalogConflict,
  type CatalogDocument,
  type CatalogWrite,
  commitDocuments,
  type DocumentKey,
} from '../../store/index.ts'
import type { OAuthBase } from './oauth-base.ts'
import { redirectUriFault } from './redirect-uri.ts'

/** What an administrator decides about a client. */
export interface ClientFields {
  readonly name: string
  /** An https address or a data: image, '' when there is none. */
  readonly logo: string
  /** The only addresses a code may be sent to. */
  readonly redirectUris: readonly string[]
  /** Whether it can keep a secret: a server can, an app on a phone or in a browser cannot. */
  readonly isConfidential: boolean
  readonly mayUseLogin: boolean
}

/** A client that an administrator registered. Its UID is its client_id. */
export interface RegisteredClient extends ClientFields {
  readonly uid: string
  readonly revision: number
  readonly orgUid: string
  /** '' for a public client. */
  readonly secretHash: string
  readonly createdAtMs: number
  /** A deleted client's ID stays taken, so that nobody goes on under it as an open client. */
  readonly isDeleted: boolean
}

/** The kind of document that a registered client is. */
export const CLIENT_KIND = 'oauth_client'

/** What a call by a token must know of its client. */
export type Registration = Pick<RegisteredClient, 'orgUid' | 'isDeleted'>

/** What the fields of a client may have at most, in characters and addresses. */
export const CLIENT_BOUNDS = { name: 100, logo: 65_536, redirectUris: 20 } as const

/** A client before an administrator has filled in anything. */
export const BLANK_CLIENT: ClientFields = {
  name: '',
  logo: '',
  redirectUris: [],
  isConfidential: true,
  mayUseLogin: false,
}

/**
 * Registers a client of an organization. The server chooses the client_id, so that no organization
 * can take an ID that others' users know. The secret is returned here and never again. This and the acts
 * below take other writes along, such as the audit entry.
 */
export async function insertClient(
  base: OAuthBase,
  fields: ClientFields & { readonly uid: string; readonly orgUid: string },
  also: readonly CatalogWrite[] = [],
): Promise<{ client: RegisteredClient; secret: string | undefined }> {
  checkFields(fields)
  const secret = fields.isConfidential ? newSecret() : undefined
  const added = {
    ...fields,
    revision: 0,
    secretHash: secret === undefined ? '' : hashSecret(secret),
    createdAtMs: base.clock.now(),
    isDeleted: false,
  }
  return { client: await put(base, added, also), secret }
}

/** Changes a client; one that becomes confidential is given a secret, returned here and never again. */
export async function updateClient(
  base: OAuthBase,
  client: RegisteredClient,
  fields: ClientFields,
  also: readonly CatalogWrite[] = [],
): Promise<{ client: RegisteredClient; secret: string | undefined }> {
  checkFields(fields)
  const secret = fields.isConfidential && client.secretHash === '' ? newSecret() : undefined
  const secretHash = secret === undefined ? client.secretHash : hashSecret(secret)
  const changed = { ...client, ...fields, secretHash: fields.isConfidential ? secretHash : '' }
  return { client: await put(base, changed, also), secret }
}

/** Replaces the secret of a confidential client: the one in use stops working at once. */
export async function renewClientSecret(
  base: OAuthBase,
  client: RegisteredClient,
  also: readonly CatalogWrite[] = [],
): Promise<{ client: RegisteredClient; secret: string }> {
  if (!client.isConfidential) {
    refuse('bad_input', { what: 'A public client has no secret. Make it confidential first' })
  }
  const secret = newSecret()
  return { client: await put(base, { ...client, secretHash: hashSecret(secret) }, also), secret }
}

/** Ends a client: its tokens stop working and its client_id is never accepted again. */
export async function deleteClient(
  base: OAuthBase,
  client: RegisteredClient,
  also: readonly CatalogWrite[] = [],
): Promise<void> {
  await put(base, { ...client, logo: '', secretHash: '', isDeleted: true }, also)
}

/** The registered client of a client_id, deleted ones included. */
export async function findClient(
  base: OAuthBase,
  clientId: string,
): Promise<RegisteredClient | undefined> {
  const document = await base.store.get(clientKey(clientId))
  return document === undefined ? undefined : toClient(document)
}

/** A page of an organization's clients by name. */
export async function listClients(
  base: OAuthBase,
  page: { readonly orgUid: string; readonly start: number; readonly limit: number },
): Promise<{ clients: RegisteredClient[]; totalCount: number }> {
  const { orgUid, start, limit } = page
  const query = { ...clientsOf(orgUid), start, limit }
  const { documents, totalCount } = await base.store.list(query)
  return { clients: documents.map(toClient), totalCount }
}

/** As `listClients` of the caller's organization, with only those that the caller may GET. */
export async function listClientsFor(
  base: OAuthBase,
  principal: Principal,
  { start, limit }: { readonly start: number; readonly limit: number },
): Promise<{ clients: RegisteredClient[]; totalCount: number }> {
  const query = { ...clientsOf(principal.orgUid), start, limit }
  const { documents, totalCount } = await listPermitted(base.store, principal, query)
  return { clients: documents.map(toClient), totalCount }
}

function clientsOf(orgUid: string) {
  return { orgUid: '', kind: CLIENT_KIND, parentUid: orgUid, listKeyPrefix: LIVING }
}

/** Whether a secret is the client's; takes the same time wherever they differ. */
export function isClientSecret(client: RegisteredClient, secret: string): boolean {
  return isSameHash(client.secretHash, hashSecret(secret))
}

/** Compares two hashes in hex in a time that does not reveal where they differ. */
export function isSameHash(kept: string, given: string): boolean {
  return kept.length === given.length && timingSafeEqual(Buffer.from(kept), Buffer.from(given))
}

const LIVING = 'living/'

async function put(
  base: OAuthBase,
  client: RegisteredClient,
  also: readonly CatalogWrite[],
): Promise<RegisteredClient> {
  const { uid, revision, ...body } = client
  try {
    const [document] = await commitDocuments(base.store, [
      {
        ...clientKey(uid),
        op: 'put',
        parentUid: client.orgUid,
        listKey: `${client.isDeleted ? 'deleted/' : LIVING}${client.name}`,
        body,
        expectedRevision: revision,
      },
      ...also,
    ])
    return toClient(document)
  } catch (error) {
    if (!(error instanceof CatalogConflict)) throw error
    refuse('conflict', { what: 'This OAuth client was changed by another request. Read it again' })
  }
}

function checkFields(fields: ClientFields): void {
  const fault = fieldFault(fields)
  if (fault === undefined) return
  const [field, rest] = fault
  refuse('bad_input', { what: `${field}${rest}`, field })
}

/** The first field that is wrong, and what follows its name in the message. */
function fieldFault({
  name,
  logo,
  redirectUris,
  mayUseLogin,
}: ClientFields): readonly [field: string, rest: string] | undefined {
  const [ofName, ofUris] = ['oauth_client.name', 'oauth_client.redirectUris']
  if (name.trim() === '')
    return [ofName, ' is missing. It is shown to users who are asked for access']
  if (name.length > CLIENT_BOUNDS.name) {
    return [ofName, ` has more than ${CLIENT_BOUNDS.name} characters`]
  }
  // Characters that reorder or hide text could make one name look like another.
  if (/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(name)) {
    return [ofName, ' contains a control or formatting character']
  }
  if (logo !== '' && !isImageAddress(logo)) {
    return ['oauth_client.logo', ' must be an https URL or a data:image/… URL of at most 64 KiB']
  }
  if (redirectUris.length === 0 && !mayUseLogin) {
    return [ofUris, ' must list at least one redirect URI (unless mayUseLogin is true)']
  }
  if (redirectUris.length > CLIENT_BOUNDS.redirectUris) {
    return [ofUris, ` lists more than ${CLIENT_BOUNDS.redirectUris} redirect URIs`]
  }
  for (const [at, uri] of redirectUris.entries()) {
    const fault = redirectUriFault(uri)
    if (fault !== undefined) return [`${ofUris}[${at}]`, `: ${fault}`]
  }
  return undefined
}

/** Whether a text can be shown as a logo: an https address or an image carried in the text. */
function isImageAddress(logo: string): boolean {
  if (logo.length > CLIENT_BOUNDS.logo) return false
  const isInline = /^data:image\/(?:png|jpeg|gif|webp|svg\+xml);base64,[A-Za-z0-9+/]+=*$/.test(logo)
  return isInline || URL.parse(logo)?.protocol === 'https:'
}

function clientKey(uid: string): DocumentKey {
  return { orgUid: '', kind: CLIENT_KIND, uid }
}

function toClient({ uid, revision, body }: CatalogDocument): RegisteredClient {
  return { ...(body as unknown as Omit<RegisteredClient, 'uid' | 'revision'>), uid, revision }
}
