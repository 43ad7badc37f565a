/** What no two records of an organization may share, as CatalogConflict names it. */
import type { Labels } from '../ports/component-port.ts'

/** Names and texts in the order of the names, as stores keep them: without halves of surrogate pairs. */
export function sortedPairs(labels: Labels): [name: string, text: string][] {
  return Object.entries(labels)
    .map(([name, text]): [string, string] => [name.toWellFormed(), text.toWellFormed()])
    .sort(([a], [b]) => (a < b ? -1 : 1))
}

/** One text of a series. */
export function seriesText(series: Labels): string {
  return JSON.stringify(sortedPairs(series))
}

/** What a conflict over a series names. */
export function seriesClaim(series: Labels): string {
  return `series:${seriesText(series)}`
}

/** What a conflict over an address of a component names. */
export function addressClaim(address: string): string {
  return `addressed_as:${address}`
}

/** What a conflict over the ID of a component names. */
export function componentIdClaim(id: string): string {
  return `component_id:${id}`
}

/** What a conflict over the ID of a stream in its component names. */
export function streamIdClaim(componentUid: string, id: string): string {
  return `stream_id:${componentUid}:${id}`
}
