import type { Schema } from '../api/paths.ts'

/** What names a component. */
export type ComponentName = Pick<Schema<'Component'>, 'uid' | 'id' | 'name' | 'folder'>

/** A stream that a search found, and where it is. */
export interface StreamName {
  readonly component: ComponentName
  readonly uid: string
  readonly id: string
  readonly name: string
}
