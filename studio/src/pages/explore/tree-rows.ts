/** The rows of a tree of folders and components, of which most components are not read yet. */
import type { Schema } from '../../api/paths.ts'

/** What a component is shown by. */
export type TreeComponent = Pick<Schema<'Component'>, 'uid' | 'id' | 'name' | 'folder'>

/** The folder above all others. */
export const ROOT = '/Components'

/** What is known of the components right in a folder. */
export interface FolderContent {
  readonly totalCount: number
  /** By place; those that are not read are missing. */
  readonly components: ReadonlyMap<number, TreeComponent>
}

/** A row as it is seen. */
export type TreeRow =
  | {
      readonly kind: 'folder'
      readonly key: string
      readonly depth: number
      readonly path: string
      readonly label: string
      readonly isOpen: boolean
    }
  | {
      readonly kind: 'component'
      readonly key: string
      readonly depth: number
      readonly folder: string
      readonly at: number
      /** Undefined while it is being read. */
      readonly component: TreeComponent | undefined
    }

/** What people call a component. */
export function labelOf({ name, id, uid }: TreeComponent): string {
  return name || id || uid
}

/** The names that a row is found by when somebody types. */
export function textOf(row: TreeRow): string {
  if (row.kind === 'folder') return row.label
  return row.component === undefined ? '' : labelOf(row.component)
}

/** Folders that lie right in each folder, by their paths. */
export function childrenOf(paths: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const children = new Map<string, string[]>()
  for (const path of [...paths].sort()) {
    const parent = path.slice(0, path.lastIndexOf('/'))
    children.set(parent, [...(children.get(parent) ?? []), path])
  }
  return children
}

/** A folder and all above it, without the root. */
export function foldersAlong(path: string): string[] {
  const names = path.split('/').slice(2)
  return names.map((_, at) => `${ROOT}/${names.slice(0, at + 1).join('/')}`)
}

interface TreeParts {
  readonly children: ReadonlyMap<string, readonly string[]>
  readonly contents: ReadonlyMap<string, FolderContent>
  readonly open: ReadonlySet<string>
}

/** Neighbouring rows: a folder, or all components of one. */
interface Stretch {
  readonly from: number
  readonly rowAt: (index: number) => TreeRow
}

/** Rows that are made when they are looked at: there may be a hundred thousand. */
export class TreeRows {
  readonly #stretches: Stretch[] = []
  /** Where the components of each folder begin. */
  readonly #folders = new Map<string, number>()
  #length = 0

  get length(): number {
    return this.#length
  }

  at(index: number): TreeRow | undefined {
    if (index < 0 || index >= this.#length) return undefined
    let [low, high] = [0, this.#stretches.length - 1]
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (this.#stretches[middle].from <= index) low = middle
      else high = middle - 1
    }
    const { from, rowAt } = this.#stretches[low]
    return rowAt(index - from)
  }

  /** The row of a component by its place in its folder; undefined where that is closed. */
  indexOf(folder: string, at: number): number | undefined {
    const from = this.#folders.get(folder)
    return from === undefined ? undefined : from + at
  }

  /** Appends `count` rows; `folder`: of the components in it. */
  add(count: number, rowAt: Stretch['rowAt'], folder?: string): void {
    if (count === 0) return
    if (folder !== undefined) this.#folders.set(folder, this.#length)
    this.#stretches.push({ from: this.#length, rowAt })
    this.#length += count
  }
}

/** All rows that are to be seen, folders before components. */
export function rowsOf(parts: TreeParts): TreeRows {
  const rows = new TreeRows()
  addFolder(parts, { path: ROOT, depth: 1 }, rows)
  return rows
}

function addFolder(
  parts: TreeParts,
  { path, depth }: { readonly path: string; readonly depth: number },
  rows: TreeRows,
): void {
  for (const child of parts.children.get(path) ?? []) {
    const isOpen = parts.open.has(child)
    const label = child.slice(child.lastIndexOf('/') + 1)
    const row: TreeRow = { kind: 'folder', key: child, depth, path: child, label, isOpen }
    rows.add(1, () => row)
    if (isOpen) addFolder(parts, { path: child, depth: depth + 1 }, rows)
  }
  const content = parts.contents.get(path)
  rows.add(content?.totalCount ?? 1, componentRows(content, { folder: path, depth }), path)
}

/** Makes the rows of components; those that are not read have no component. */
export function componentRows(
  content: FolderContent | undefined,
  { folder, depth }: { readonly folder: string; readonly depth: number },
): (at: number) => TreeRow {
  return (at) => {
    const component = content?.components.get(at)
    const key = component?.uid ?? `${folder}\u0001${at}`
    return { kind: 'component', key, depth, folder, at, component }
  }
}
