import type { StreamIndex } from '../../catalog/index.ts'
import type { ExpiringStream, IsDue } from './delete-profile-job.ts'
import type { Retention } from './retention.ts'

/** Streams looked up before they are handed on together. */
const PAGE_STREAMS = 500

/** The due streams that have a delete profile, in pages, as the catalog knows them at the time. */
export async function* expiringStreams(
  index: StreamIndex,
  retention: Retention,
  isDue: IsDue,
): AsyncGenerator<ExpiringStream[]> {
  let page: ExpiringStream[] = []
  for (const handle of index.handlesWithDeleteProfile()) {
    if (!isDue(handle)) continue
    const rule = await retention.ruleOf(handle)
    if (rule === undefined || !index.has(handle)) continue
    page.push({ handle, rule })
    if (page.length < PAGE_STREAMS) continue
    yield page
    page = []
  }
  if (page.length > 0) yield page
}
