import type { Catalog } from '../catalog/index.ts'
import type { ExpiringStream, IsDue } from './delete-profile-job.ts'

/** Streams looked up before they are handed on together. */
const PAGE_STREAMS = 500

/** The due streams that have a delete profile, in pages, as the catalog knows them at the time. */
export async function* expiringStreams(
  catalog: Pick<Catalog, 'index' | 'deleteProfileOf'>,
  isDue: IsDue,
): AsyncGenerator<ExpiringStream[]> {
  let page: ExpiringStream[] = []
  for (const handle of catalog.index.handlesWithDeleteProfile()) {
    if (!isDue(handle)) continue
    const age = await catalog.deleteProfileOf(handle)
    if (age === undefined || !catalog.index.has(handle)) continue
    page.push({ handle, age, timeZone: catalog.index.componentOf(handle).timeZone })
    if (page.length < PAGE_STREAMS) continue
    yield page
    page = []
  }
  if (page.length > 0) yield page
}
