/** Names and values of labels, for the label browser. */
import { nextIteration } from '../../base/index.ts'
import type { LabelTable } from '../../catalog/index.ts'
import type { LabelRequest, SelectReply } from '../run/query-messages.ts'
import {
  type ReadableSeries,
  type SelectionParts,
  STREAM_LABEL,
  selectReadable,
} from '../source/readable-series.ts'

/** Series that are looked at before other calls may run. */
const PER_SLICE = 1_024

/** Names of labels, or values of one, of the series that match a selector; each once, in no order. */
export async function listLabels(
  parts: SelectionParts,
  { selectors, since, label }: LabelRequest,
  take: (texts: readonly string[]) => void,
): Promise<SelectReply> {
  const found = new Set<string>()
  const warnings = new Set<string>()
  const infos = new Set<string>()
  let fresh: string[] = []
  const add = (text: string) => {
    if (found.has(text)) return
    found.add(text)
    fresh.push(text)
  }
  const visit = label === undefined ? nameVisitor(add) : valueVisitor(label, add)
  for (const matchers of selectors.length === 0 ? [[]] : selectors) {
    const selected = await selectReadable(parts, { matchers, since })
    for (const text of selected.warnings) warnings.add(text)
    for (const text of selected.infos) infos.add(text)
    for (const [at, series] of selected.series.entries()) {
      visit(selected.table, series)
      if (at % PER_SLICE !== PER_SLICE - 1) continue
      take(fresh)
      fresh = []
      await nextIteration()
    }
  }
  take(fresh)
  return { warnings: [...warnings], infos: [...infos] }
}

type Visit = (table: LabelTable, series: ReadableSeries) => void

function nameVisitor(add: (text: string) => void): Visit {
  return (table, { number, streamUid }) => {
    table.eachPair(number, (pair) => add(table.nameOf(pair)))
    if (streamUid !== undefined) add(STREAM_LABEL)
  }
}

function valueVisitor(label: string, add: (text: string) => void): Visit {
  if (label === STREAM_LABEL) {
    return (_table, { streamUid }) => {
      if (streamUid !== undefined) add(streamUid)
    }
  }
  return (table, { number }) => {
    const pair = table.pairIn(number, table.nameNumberOf(label))
    if (pair >= 0) add(table.textOf(pair))
  }
}
