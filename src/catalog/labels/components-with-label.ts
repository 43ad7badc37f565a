import { allows, allowsEveryFeed, type Principal } from '../../access/index.ts'
import { Pacer } from '../../base/index.ts'
import type { StreamHandle } from '../../store/index.ts'
import type { StreamIndex } from '../index/stream-index.ts'
import { readLabel } from '../record/search-streams.ts'
import type { LabelIndex } from './label-index.ts'
import { selectSeries } from './select-series.ts'

/** The refs of components with a numeric stream that has a label and that the caller may GET. */
export async function componentsWithLabel(
  { index, labels }: { readonly index: StreamIndex; readonly labels: LabelIndex },
  principal: Principal,
  label: string,
): Promise<ReadonlySet<number>> {
  const { isName, isText } = readLabel(label)
  const { table } = await labels.seriesOf(principal.orgUid)
  const mayGetAll =
    allowsEveryFeed(principal, 'GET') && allows(principal, 'component/*/stream/*', 'GET')
  const found = new Set<number>()
  const take = (handle: StreamHandle): void => {
    if (!index.has(handle)) return
    const component = index.componentRefOf(handle)
    if (found.has(component)) return
    if (!mayGetAll) {
      const { uid } = index.componentOf(handle)
      const resource = `component/${uid}/stream/${index.streamUid(handle)}`
      if (!allows(principal, resource, 'GET')) return
    }
    found.add(component)
  }
  const accept = (texts: readonly string[]) =>
    Uint8Array.from(texts, (text) => Number(isText(text)))
  const pacer = new Pacer()
  for (const name of table.names.filter(isName)) {
    const matcher = { name, accept, acceptsAbsent: false }
    await selectSeries(table, [matcher], pacer, (series) =>
      take(table.handleOf(series) as StreamHandle),
    )
  }
  return found
}
