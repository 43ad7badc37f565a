import { call } from './client.ts'

/** What a component is known by. */
export interface ComponentName {
  readonly uid: string
  readonly id: string
  readonly name: string
  readonly folder: string
}

/** The components of an organization, as many as are looked through at once. */
export interface ComponentNames {
  readonly components: readonly ComponentName[]
  /** How many there are in all. */
  readonly totalCount: number
}

const PAGE = 1_000
/** More are not held in a page's memory. */
const NAMES_MAX = 10_000

/** Reads the names of all components, up to ten thousand. */
export async function readComponentNames(signal: AbortSignal): Promise<ComponentNames> {
  const components: ComponentName[] = []
  let totalCount = 0
  do {
    const query = { start: components.length, limit: PAGE }
    const page = await call('get', '/api/component', { query, signal })
    totalCount = page.totalCount
    if (page.component.length === 0) break
    for (const { uid, id, name, folder } of page.component)
      components.push({ uid, id, name, folder })
  } while (components.length < Math.min(totalCount, NAMES_MAX))
  return { components, totalCount }
}
