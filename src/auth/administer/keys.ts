import { requireCovers, requirePermit } from '../../access/index.ts'
import { newUid, refuse } from '../../base/index.ts'
import { type ApiKey, type ApiKeyFields, checkKeyFields } from '../api-keys.ts'
import type { AuditAct } from '../audit-acts.ts'
import type { Identity } from '../identity.ts'
import { type ActingCaller, actOf } from './acting-caller.ts'
import { requirePerson, requirePersonBehindToken } from './require-person.ts'

type KeyParts = Pick<Identity, 'keys' | 'audit' | 'confirmPassword' | 'confirmSecondFactor'>

const BLANK_KEY: ApiKeyFields = { name: '', description: '', capabilities: [], ipAddresses: [] }

/** One page of the keys of the caller's organization, by name. */
export async function listKeys(
  { keys }: KeyParts,
  { principal }: ActingCaller,
  page: { readonly start: number; readonly limit: number },
): Promise<{ keys: readonly ApiKey[]; totalCount: number }> {
  requirePermit(principal, 'api_key', 'GET')
  return keys.listFor(principal, page)
}

/** A key that is not saved. */
export function makeKey({ principal }: ActingCaller): ApiKeyFields {
  requirePermit(principal, 'api_key', 'GET')
  return BLANK_KEY
}

/** One key of the caller's organization. */
export async function getKey(parts: KeyParts, by: ActingCaller, uid: string): Promise<ApiKey> {
  requirePermit(by.principal, `api_key/${uid}`, 'GET')
  return findKey(parts, by, uid)
}

/** Makes a key that gives no more than the caller has; answers it with its secret. */
export async function insertKey(
  parts: KeyParts,
  by: ActingCaller,
  given: Partial<ApiKeyFields>,
): Promise<{ key: ApiKey; secret: string }> {
  requirePermit(by.principal, 'api_key', 'PUT')
  const fields = withChanges(BLANK_KEY, given)
  requireMayHandle(by, fields)
  await requirePersonBehindToken(parts, by)
  const uid = newUid()
  const act = parts.audit.plan(actOf(by, { act: 'key_created', target: uid, detail: fields.name }))
  return parts.keys.insert(by.principal.orgUid, fields, { uid, also: [act] })
}

/** Changes a key that gives no more than the caller has, neither before nor after. */
export async function changeKey(
  parts: KeyParts,
  by: ActingCaller,
  uid: string,
  changes: Partial<ApiKeyFields>,
): Promise<ApiKey> {
  requirePermit(by.principal, `api_key/${uid}`, 'POST')
  const key = await findKey(parts, by, uid)
  requireMayHandle(by, key)
  const fields = withChanges(key, changes)
  requireMayHandle(by, fields)
  await requirePersonBehindToken(parts, by)
  return parts.keys.update(key, fields, [planAct(parts, by, 'key_updated', { ...key, ...fields })])
}

/** The secret of a key in the clear; that it was seen is written down first. */
export async function revealKey(
  parts: KeyParts,
  by: ActingCaller,
  uid: string,
): Promise<{ key: ApiKey; secret: string }> {
  // A key that may only read must not gain what the keys it sees can do.
  requirePermit(by.principal, `api_key/${uid}`, 'POST')
  const key = await findKey(parts, by, uid)
  requireMayHandle(by, key)
  await requirePerson(parts, by)
  const secret = parts.keys.reveal(key)
  await parts.audit.record(actOf(by, { act: 'key_revealed', target: uid, detail: key.name }))
  return { key, secret }
}

/** Takes a key away; calls with it are refused from here on. */
export async function revokeKey(parts: KeyParts, by: ActingCaller, uid: string): Promise<ApiKey> {
  requirePermit(by.principal, `api_key/${uid}`, 'DELETE')
  const key = await findKey(parts, by, uid)
  await requirePersonBehindToken(parts, by)
  await parts.keys.delete(key, [planAct(parts, by, 'key_revoked', key)])
  return key
}

async function findKey({ keys }: KeyParts, by: ActingCaller, uid: string): Promise<ApiKey> {
  const key = await keys.find(by.principal.orgUid, uid)
  if (key === undefined) refuse('not_found', { what: `Cannot find api_key "${uid.slice(0, 100)}"` })
  return key
}

/** Refuses a key with mistakes, and one that gives more than the caller has. */
function requireMayHandle({ principal }: ActingCaller, fields: ApiKeyFields): void {
  checkKeyFields(fields)
  requireCovers(principal, fields)
}

function withChanges(before: ApiKeyFields, changes: Partial<ApiKeyFields>): ApiKeyFields {
  return {
    name: changes.name ?? before.name,
    description: changes.description ?? before.description,
    capabilities: changes.capabilities ?? before.capabilities,
    ipAddresses: changes.ipAddresses ?? before.ipAddresses,
    addressRule: changes.addressRule === undefined ? before.addressRule : changes.addressRule,
  }
}

function planAct({ audit }: KeyParts, by: ActingCaller, act: AuditAct, key: ApiKey) {
  return audit.plan(actOf(by, { act, target: key.uid, detail: key.name }))
}
