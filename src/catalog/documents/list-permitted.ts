import { allows, type Method, namedBelow, type Principal } from '../../access/index.ts'
import type { CatalogDocument, ListQuery } from '../../store/index.ts'
import type { Documents } from './documents.ts'

type Source = Pick<Documents, 'list' | 'get'>

/**
 * A page of what the caller may GET. Only records that a capability names can be kept from someone who
 * may list their kind, and those are few: they are looked up, and the page is read as much longer.
 */
export async function listPermitted(
  source: Source,
  principal: Principal,
  query: ListQuery,
): Promise<{ documents: CatalogDocument[]; totalCount: number }> {
  const hidden = await findForbidden(source, principal, { ...query, method: 'GET' })
  if (hidden.length === 0) return await source.list(query)
  const { limit } = query
  const { documents, totalCount } = await source.list({ ...query, limit: limit + hidden.length })
  const skipped = hidden.filter((document) => comesBefore(document, documents[0])).length
  const uids = new Set(hidden.map(({ uid }) => uid))
  const shown = documents.filter(({ uid }) => !uids.has(uid))
  return {
    documents: shown.slice(skipped, skipped + limit),
    totalCount: totalCount - hidden.length,
  }
}

/** The records of a kind, below a list key, on which the caller may not use a method though it may on others. */
export async function findForbidden(
  source: Source,
  principal: Principal,
  of: Pick<ListQuery, 'orgUid' | 'kind' | 'listKeyPrefix'> & { readonly method: Method },
): Promise<CatalogDocument[]> {
  const { orgUid, kind, method, listKeyPrefix = '' } = of
  const found: CatalogDocument[] = []
  for (const uid of namedBelow(principal, kind)) {
    if (allows(principal, `${kind}/${uid}`, method)) continue
    const document = await source.get({ orgUid, kind, uid })
    if (document?.listKey.startsWith(listKeyPrefix)) found.push(document)
  }
  return found
}

/** The order of the store's lists: by key, then UID, as bytes. */
function comesBefore(a: CatalogDocument, b: CatalogDocument | undefined): boolean {
  if (b === undefined) return false
  const byKey = Buffer.compare(Buffer.from(a.listKey), Buffer.from(b.listKey))
  return byKey < 0 || (byKey === 0 && a.uid < b.uid)
}
