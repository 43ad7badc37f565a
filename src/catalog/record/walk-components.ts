import { nextTurn } from '../../base/index.ts'
import { CatalogDamaged, type CatalogDocument } from '../../store/index.ts'
import type { Documents } from '../documents/documents.ts'
import type { ComponentRecord } from '../shape/component-shape.ts'
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
    yield page.flatMap((document) => shown(documents, document) ?? [])
    await nextTurn()
  }
}

async function* walkAll(documents: Documents, orgUid: string): AsyncGenerator<CatalogDocument[]> {
  let after: string | undefined
  do {
    const page = await documents.walk({ orgUid, kind: 'component', after, limit: STEP })
    yield page.documents
    after = page.next
  } while (after !== undefined)
}

async function* walkFolder(
  documents: Documents,
  orgUid: string,
  folder: string,
): AsyncGenerator<CatalogDocument[]> {
  const query = { orgUid, kind: 'component', listKeyPrefix: `${folder}/\u0001`, limit: STEP }
  for (let start = 0; ; start += STEP) {
    const page = await documents.list({ ...query, start, leavesOutDamaged: true })
    yield page.documents
    if (start + STEP >= page.totalCount) return
  }
}

/** The record of a component that is whole. */
function shown(documents: Documents, document: CatalogDocument): ComponentRecord | undefined {
  try {
    const entry = documents.index.componentByUid(document.orgUid, document.uid)
    return entry === undefined ? undefined : showComponent(document, entry.streamCount)
  } catch (error) {
    if (error instanceof CatalogDamaged) return undefined
    throw error
  }
}
