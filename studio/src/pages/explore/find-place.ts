/** Where a component stands among those of its folder, without reading all of them. */
import type { TreeComponent } from './tree-rows.ts'

/** Reads of one search: enough for a million components, and some with the same name. */
const READS_MAX = 40

/** Characters of a name that decide its place. */
const LISTED_LENGTH = 100

/** A page of the components of a folder. */
export interface FolderPage {
  readonly components: readonly TreeComponent[]
  readonly totalCount: number
}

/** What is searched for, and how pages are read. */
interface Search {
  readonly uid: string
  readonly name: string
  readonly pageSize: number
  readonly read: (page: number) => Promise<FolderPage>
}

/** The place of a component in the order of names; undefined if it is not found. */
export async function findPlace(search: Search): Promise<number | undefined> {
  const { uid, name, pageSize, read } = search
  let reads = 0
  const look = async (page: number) => {
    reads += 1
    const { components, totalCount } = await read(page)
    const at = components.findIndex((one) => one.uid === uid)
    const pages = Math.ceil(totalCount / pageSize)
    const [first, last] = [components[0]?.name, components.at(-1)?.name]
    return { place: at < 0 ? undefined : page * pageSize + at, pages, first, last }
  }
  const begin = await look(0)
  if (begin.place !== undefined) return begin.place
  // The first page that ends with the name, or behind it.
  let [low, high] = [1, begin.pages - 1]
  while (low < high && reads < READS_MAX) {
    const middle = Math.floor((low + high) / 2)
    const { place, last } = await look(middle)
    if (place !== undefined) return place
    if (last === undefined || compare(last, name) >= 0) high = middle
    else low = middle + 1
  }
  // Components with the same name may fill pages.
  for (let page = low; page < begin.pages && reads < READS_MAX; page++) {
    const { place, first } = await look(page)
    if (place !== undefined) return place
    if (first === undefined || compare(first, name) > 0) return undefined
  }
  return undefined
}

/** The order of the service: by code points. */
function compare(a: string, b: string): number {
  const [left, right] = [[...a].slice(0, LISTED_LENGTH), [...b].slice(0, LISTED_LENGTH)]
  for (let at = 0; at < Math.min(left.length, right.length); at++) {
    const difference = (left[at].codePointAt(0) ?? 0) - (right[at].codePointAt(0) ?? 0)
    if (difference !== 0) return difference
  }
  return left.length - right.length
}
