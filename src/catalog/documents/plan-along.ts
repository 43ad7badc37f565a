import type { CatalogWrite } from '../../store/index.ts'

/**
 * Plans writes for the commit that deletes a record, such as the entry of an audit log: told what goes,
 * in words for people. Of a deletion that takes several commits they belong to the first, so that
 * nothing is gone without them, wherever it is cut short.
 */
export type PlanAlong = (what: string) => readonly CatalogWrite[]

/** Nothing is to be written along. */
export const NOTHING_ALONG: PlanAlong = () => []
