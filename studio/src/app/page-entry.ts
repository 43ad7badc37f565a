import type { ComponentType } from 'react'
import type { IconName } from '../ui/icon.tsx'

/** What a page is given: the parts of its path. */
export interface PageProps {
  readonly params: Readonly<Record<string, string>>
}

/** A place in the left bar. */
export interface NavEntry {
  readonly label: string
  readonly to: string
  readonly icon: IconName
  /** Smaller comes first. */
  readonly order: number
  /** Paths that begin with one of these are of this place. */
  readonly holds: readonly string[]
  /** What stands at the icon, such as a count. */
  readonly Badge?: ComponentType
  /** Who sees it; everyone without. */
  readonly roles?: readonly string[]
}

/**
 * A page as its folder registers it: `studio/src/pages/<page>/page.ts` exports a list of these as `pages`.
 * A path that no page registers does not exist.
 */
export interface PageEntry {
  /** Such as `/c/:component`; static parts win over named ones. */
  readonly path: string
  /** Paths with the same function are one page: what it shows beside stays when one goes between them. */
  readonly load: () => Promise<{ readonly Page: ComponentType<PageProps> }>
  readonly nav?: NavEntry
  /** What the command palette calls it; without, it does not name it. */
  readonly title?: string
}
