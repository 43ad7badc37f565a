import { allows, type Method, namedBelow, type Principal } from '../../access/index.ts'
import { ADMIN_BODY_BYTES_MAX, PAGE_BYTES_MAX } from '../../base/index.ts'
import type { CatalogDocument, CatalogStore, ListQuery } from '../../store/index.ts'

type Source = Pick<CatalogStore, 'list' | 'get'>

/** What is listed, and the resource that capabilities call it when that is not its kind. */
type PermittedQuery = ListQuery & { readonly resource?: string }

/**
 * A page of what the caller may GET. Only records that a capability names can be kept from someone who
 * may list their kind, and those are few: they are looked up, and the page is read as much longer. A page
 * of several whose JSON is long is refused.
 */
export async function listPermitted(
  source: Source,
  principal: Principal,
  { resource, ...query }: PermittedQuery,
): Promise<{ documents: CatalogDocument[]; totalCount: number }> {
  const hidden = await findForbidden(source, principal, { ...query, resource, method: 'GET' })
  if (hidden.length === 0) return await source.list({ ...query, bytesMax: PAGE_BYTES_MAX })
  const { limit } = query
  const { documents, totalCount } = await source.list({
    ...query,
    limit: limit + hidden.length,
    // What is read beyond the page must not count against it.
    bytesMax: PAGE_BYTES_MAX + hidden.length * ADMIN_BODY_BYTES_MAX,
  })
  const skipped = hidden.filter((document) => comesBefore(document, documents[0])).length
  const uids = new Set(hidden.map(({ uid }) => uid))
  const shown = documents.filter(({ uid }) => !uids.has(uid))
  return {
    documents: shown.slice(skipped, skipped + limit),
    totalCount: totalCount - hidden.length,
  }
}

/** The records of a kind, below a parent and list key, on which the caller may not use a method though it may on others. */
export async function findForbidden(
  source: Source,
  principal: Principal,
  of: Omit<PermittedQuery, 'start' | 'limit'> & { readonly method: Method },
): Promise<CatalogDocument[]> {
  const { orgUid, kind, resource = kind, method, parentUid, listKeyPrefix = '' } = of
  const { aliveAtMs = Number.NEGATIVE_INFINITY } = of
  const found: CatalogDocument[] = []
  for (const uid of namedBelow(principal, resource)) {
    if (allows(principal, `${resource}/${uid}`, method)) continue
    const document = await source.get({ orgUid, kind, uid })
    if (document === undefined || !document.listKey.startsWith(listKeyPrefix)) continue
    if ((document.expiresAtMs ?? Number.POSITIVE_INFINITY) <= aliveAtMs) continue
    if (parentUid === undefined || document.parentUid === parentUid) found.push(document)
  }
  return found
}

/** The order of the store's lists: by key, then UID, as bytes. */
function comesBefore(a: CatalogDocument, b: CatalogDocument | undefined): boolean {
  if (b === undefined) return false
  const byKey = Buffer.compare(Buffer.from(a.listKey), Buffer.from(b.listKey))
  return byKey < 0 || (byKey === 0 && a.uid < b.uid)
}
