import { allows, type Method, namedBelow, type Principal } from '../../access/index.ts'
import { PAGE_BYTES_MAX } from '../../base/index.ts'
import type { CatalogDocument, CatalogStore, ListQuery } from '../../store/index.ts'

/** What is listed, and the resource that capabilities call it when that is not its kind. */
type PermittedQuery = ListQuery & { readonly resource?: string }

/**
 * A page of what the caller may GET. Only records that a capability names can be kept from someone who
 * may list their kind, and those are few: the store leaves them out, unread. A page of several whose JSON
 * is long is refused.
 */
export async function listPermitted(
  source: Pick<CatalogStore, 'list'>,
  principal: Principal,
  { resource, ...query }: PermittedQuery,
): Promise<{ documents: CatalogDocument[]; totalCount: number }> {
  const exceptUids = [...forbiddenUids(principal, resource ?? query.kind, 'GET')]
  return await source.list({ ...query, bytesMax: PAGE_BYTES_MAX, exceptUids })
}

/**
 * The UID of a record of a kind, below a list key, on which the caller may not use a method though it may on
 * others; undefined when there is none. Records are looked at one by one: each may be long.
 */
export async function findForbidden(
  source: Pick<CatalogStore, 'get'>,
  principal: Principal,
  of: Pick<ListQuery, 'orgUid' | 'kind'> & {
    readonly method: Method
    readonly listKeyPrefix: string
  },
): Promise<string | undefined> {
  const { orgUid, kind, method, listKeyPrefix } = of
  for (const uid of forbiddenUids(principal, kind, method)) {
    const document = await source.get({ orgUid, kind, uid })
    if (document?.listKey.startsWith(listKeyPrefix) === true) return uid
  }
  return undefined
}

function* forbiddenUids(principal: Principal, resource: string, method: Method): Iterable<string> {
  for (const uid of namedBelow(principal, resource)) {
    if (!allows(principal, `${resource}/${uid}`, method)) yield uid
  }
}
