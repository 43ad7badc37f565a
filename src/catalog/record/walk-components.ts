import { nextIteration } from '../../base/index.ts'
import { CatalogDamaged, type StoredComponent } from '../../store/index.ts'
import type { Documents } from '../documents/documents.ts'
import type { ComponentRecord } from '../shape/component-shape.ts'
import { storedFolder } from '../shape/folder-path.ts'
import { showComponent } from './component-rules.ts'

/** Components read before others have their turn: some milliseconds. */
const STEP = 250

/** All components of an organization, or those that lie in a folder itself, some at a time; what is damaged is left out. */
export async function* walkComponents(
  documents: Documents,
  orgUid: string,
  folder?: string,
): AsyncGenerator<ComponentRecord[]> {
  const pages =
    folder === undefined ? walkAll(documents, orgUid) : walkFolder(documents, orgUid, folder)
  for await (const page of pages) {
    yield page.flatMap((component) => shown(documents, component) ?? [])
    await nextIteration()
  }
}

async function* walkAll(documents: Documents, orgUid: string): AsyncGenerator<StoredComponent[]> {
  let after: string | undefined
  do {
    const page = await documents.walkComponents({ orgUid, after, limit: STEP })
    yield page.components
    after = page.next
  } while (after !== undefined)
}

async function* walkFolder(
  documents: Documents,
  orgUid: string,
  folder: string,
): AsyncGenerator<StoredComponent[]> {
  const query = { orgUid, folder: storedFolder(folder), isDirect: true, limit: STEP }
  for (let start = 0; ; start += STEP) {
    const page = await documents.listComponents({ ...query, start, leavesOutDamaged: true })
    yield page.components
    if (start + STEP >= page.totalCount) return
  }
}

/** The record of a component that is whole. */
function shown(documents: Documents, component: StoredComponent): ComponentRecord | undefined {
  try {
    const entry = documents.index.componentByUid(component.orgUid, component.uid)
    return entry === undefined ? undefined : showComponent(component, entry.streamCount)
  } catch (error) {
    if (error instanceof CatalogDamaged) return undefined
    throw error
  }
}
