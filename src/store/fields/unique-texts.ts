/** What no two records of an organization may share, as CatalogConflict names it. */
import type { Labels } from '../ports/component-port.ts'

/** Names and texts in the order of the names, as stores keep them: without halves of surrogate pairs. */
export function sortedPairs(labels: Labels): [name: string, text: string][] {
  const pairs: [name: string, text: string][] = []
  let isSorted = true
  let last = ''
  for (const given of Object.keys(labels)) {
    const name = given.toWellFormed()
    pairs.push([name, labels[given].toWellFormed()])
    isSorted &&= last <= name
    last = name
  }
  // Most programs send labels in the order of their names.
  return isSorted ? pairs : pairs.sort(([a], [b]) => (a < b ? -1 : 1))
}

/** One text of a series. */
export function seriesText(series: Labels): string {
  return pairsText(sortedPairs(series))
}

/** As seriesText(), of the sorted pairs of a series. */
export function pairsText(pairs: readonly (readonly [name: string, text: string])[]): string {
  return JSON.stringify(pairs)
}

const OF_SERIES = 'series:'

/** What a conflict over a series names. */
export function seriesClaim(series: Labels): string {
  return OF_SERIES + seriesText(series)
}

/** Whether a conflict is over a series. */
export function isSeriesClaim(claim: string): boolean {
  return claim.startsWith(OF_SERIES)
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
