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

interface TreeParts {
  readonly children: ReadonlyMap<string, readonly string[]>
  readonly contents: ReadonlyMap<string, FolderContent>
  readonly open: ReadonlySet<string>
}

/** All rows that are to be seen, folders before components. */
export function rowsOf(parts: TreeParts): TreeRow[] {
  const rows: TreeRow[] = []
  addFolder(parts, { path: ROOT, depth: 1 }, rows)
  return rows
}

function addFolder(
  parts: TreeParts,
  { path, depth }: { readonly path: string; readonly depth: number },
  rows: TreeRow[],
): void {
  for (const child of parts.children.get(path) ?? []) {
    const isOpen = parts.open.has(child)
    const label = child.slice(child.lastIndexOf('/') + 1)
    rows.push({ kind: 'folder', key: child, depth, path: child, label, isOpen })
    if (isOpen) addFolder(parts, { path: child, depth: depth + 1 }, rows)
  }
  const content = parts.contents.get(path)
  const count = content?.totalCount ?? 1
  for (let at = 0; at < count; at += 1) {
    const component = content?.components.get(at)
    const key = component?.uid ?? `${path}\u0001${at}`
    rows.push({ kind: 'component', key, depth, folder: path, at, component })
  }
}
