import { allows, namedBelow, type Principal } from '../../access/index.ts'
import { RecordBytes, refuse } from '../../base/index.ts'
import { CatalogDamaged, type StoredComponent } from '../../store/index.ts'
import type { Documents } from '../documents/documents.ts'
import type { ComponentNames, SearchedFolder } from './component-names.ts'
import { foldName } from './fold-name.ts'
import type { Page } from './simple-records.ts'

/** Longer than any name of folder, component and ID that people type to find one. */
export const SEARCH_LENGTH_MAX = 1_000

/** The words of a search text, which messages call `name`. */
export function readSearch(text: string, name = 'search'): string[] {
  if (text.length > SEARCH_LENGTH_MAX)
    refuse('bad_input', {
      what: `${name} has ${text.length} characters: at most ${SEARCH_LENGTH_MAX}`,
    })
  return foldName(text)
    .split(/\s+/)
    .filter((word) => word !== '')
}

/** A page of the components that have every word in folder, name or ID, as far as the caller may see them. */
export async function searchComponents(
  { documents, names }: { readonly documents: Documents; readonly names: ComponentNames },
  principal: Principal,
  search: Page & SearchedFolder & { readonly words: readonly string[] },
): Promise<{ components: StoredComponent[]; totalCount: number }> {
  const { orgUid } = principal
  const { words, folder, isDirect, start, limit } = search
  const named = [...namedBelow(principal, 'component')]
  const hidden = new Set(named.filter((uid) => !allows(principal, `component/${uid}`, 'GET')))
  const uids = await names.search(orgUid, { words, folder, isDirect, hidden })
  const bytes = new RecordBytes('component')
  const components: StoredComponent[] = []
  for (const uid of uids.slice(start, start + limit)) {
    const component = await getIntact(documents, orgUid, uid)
    if (component === undefined) continue
    bytes.add(JSON.stringify(component))
    components.push(component)
  }
  return { components, totalCount: uids.length }
}

/** A component whose row has the right checksum. Damaged ones are left out of lists, and reported where they are read. */
async function getIntact(documents: Documents, orgUid: string, uid: string) {
  try {
    return await documents.getComponent(orgUid, uid)
  } catch (error) {
    if (error instanceof CatalogDamaged) return undefined
    throw error
  }
}
