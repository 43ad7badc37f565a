import type { Section } from '../../app/section-frame.tsx'
import { KINDS } from './kinds.ts'

/** The list of a kind. */
export function listPath(kind: string): string {
  return `/build/${kind}`
}

/** The pages under /build: a list of each kind. */
export const BUILD: Section = {
  label: 'Build',
  places: KINDS.map(({ kind, many }) => ({ to: listPath(kind), label: many })),
}
