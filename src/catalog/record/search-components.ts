import { allows, namedBelow, type Principal } from '../../access/index.ts'
import { RecordBytes, refuse } from '../../base/index.ts'
import { CatalogDamaged, type CatalogDocument } from '../../store/index.ts'
import type { Documents } from '../documents/documents.ts'
import type { ComponentNames } from './component-names.ts'
import { foldName } from './fold-name.ts'
import type { Page } from './simple-records.ts'

/** Longer than any name of folder, component and ID that people type to find one. */
export const SEARCH_LENGTH_MAX = 1_000

/** The words of a search text. */
export function readSearch(text: string): string[] {
  if (text.length > SEARCH_LENGTH_MAX)
    refuse('bad_input', {
      what: `search has ${text.length} characters: at most ${SEARCH_LENGTH_MAX}`,
    })
  return foldName(text)
    .split(/\s+/)
    .filter((word) => word !== '')
}

/** A page of the components that have every word in folder, name or ID, as far as the caller may see them. */
export async function searchComponents(
  { documents, names }: { readonly documents: Documents; readonly names: ComponentNames },
  principal: Principal,
  search: Page & { readonly words: readonly string[]; readonly listKeyPrefix?: string },
): Promise<{ documents: CatalogDocument[]; totalCount: number }> {
  const { orgUid } = principal
  const { words, listKeyPrefix = '', start, limit } = search
  const named = [...namedBelow(principal, 'component')]
  const hidden = new Set(named.filter((uid) => !allows(principal, `component/${uid}`, 'GET')))
  const uids = await names.search(orgUid, { words, listKeyPrefix, hidden })
  const bytes = new RecordBytes('component')
  const found: CatalogDocument[] = []
  for (const uid of uids.slice(start, start + limit)) {
    const document = await getIntact(documents, { orgUid, kind: 'component', uid })
    if (document === undefined) continue
    bytes.add(JSON.stringify(document.body))
    found.push(document)
  }
  return { documents: found, totalCount: uids.length }
}

/** A document that checks; what does not is told where it is read, and left out of lists. */
async function getIntact(documents: Documents, key: Parameters<Documents['get']>[0]) {
  try {
    return await documents.get(key)
  } catch (error) {
    if (error instanceof CatalogDamaged) return undefined
    throw error
  }
}
