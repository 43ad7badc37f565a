import { allows, type Method, namedBelow, type Principal } from '../../access/index.ts'
import { PAGE_BYTES_MAX } from '../../base/index.ts'
import type {
  CatalogDocument,
  CatalogStore,
  ComponentList,
  ListQuery,
  StoredComponent,
} from '../../store/index.ts'
import type { Documents } from './documents.ts'

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

/** The same of components; those that do not check are counted only. */
export async function listPermittedComponents(
  source: Pick<Documents, 'listComponents'>,
  principal: Principal,
  query: Omit<ComponentList, 'orgUid' | 'leavesOutDamaged' | 'exceptUids'>,
): Promise<{ components: StoredComponent[]; totalCount: number }> {
  return await source.listComponents({
    ...query,
    orgUid: principal.orgUid,
    leavesOutDamaged: true,
    bytesMax: PAGE_BYTES_MAX,
    exceptUids: [...forbiddenUids(principal, 'component', 'GET')],
  })
}

/** The UIDs of a kind on which the caller may not use a method though it may on others. */

export function* forbiddenUids(
  principal: Principal,
  resource: string,
  method: Method,
): Iterable<string> {
  for (const uid of namedBelow(principal, resource)) {
    if (!allows(principal, `${resource}/${uid}`, method)) yield uid
  }
}
