import { queries } from '../../api/query-cache.ts'
import { recordKey } from '../../api/records.ts'
import { labelOf, type Panel, type PanelStream } from './board-types.ts'
import { nameOf, readName, type StreamFacts } from './panels/stream-facts.ts'

/** Panels whose streams carry the names they have, so that a board can name one that is deleted later. */
export async function withLabels(panels: readonly Panel[]): Promise<Panel[]> {
  return await Promise.all(
    panels.map(async (panel) => ({
      ...panel,
      streams: await Promise.all(panel.streams.map(withLabel)),
    })),
  )
}

async function withLabel(stream: PanelStream): Promise<PanelStream> {
  const { componentUid, streamUid } = stream
  const key = recordKey('component', componentUid, 'facts', streamUid)
  const facts = queries.peek<StreamFacts>(key).data
  const label = facts === undefined ? stream.label || (await nameNow(stream)) : nameOf(facts)
  return { componentUid, streamUid, ...(label === '' ? {} : { label: labelOf(label) }) }
}

/** A board is saved also when a name cannot be had. */
async function nameNow(stream: PanelStream): Promise<string> {
  try {
    return await readName(stream)
  } catch {
    return ''
  }
}
