import { setLabel } from '../series/label-list.ts'
import type { SeriesLabels } from '../source.ts'
import { type QueryNode, unwrapParens } from '../syntax/query-node.ts'

/** The labels of the element that says that a selector finds nothing: those that it asks for exactly, each once. */
export function absentLabels(argument: QueryNode): SeriesLabels {
  const node = unwrapParens(argument)
  const selector = node.kind === 'matrix' ? node.selector : node
  if (selector.kind !== 'selector') return []
  const seen = new Set<string>()
  let labels: SeriesLabels = []
  for (const { name, operation, value } of selector.matchers) {
    if (name === '__name__' || name === '__cycle__' || name === '__stat__') continue
    labels = setLabel(labels, name, operation === '=' && !seen.has(name) ? value : '')
    if (operation === '=') seen.add(name)
  }
  return labels
}
