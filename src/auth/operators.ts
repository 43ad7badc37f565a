import { allows, type Method, type Principal, requirePermit } from '../access/index.ts'
import { refuse } from '../base/index.ts'
import {
  CatalogConflict,
  CatalogDamaged,
  type CatalogStore,
  type PutDocument,
} from '../store/index.ts'
import type { Organizations } from './organizations.ts'

const KEY = { orgUid: '', kind: 'operator', uid: 'organization' } as const
const DAMAGED = 'damaged'

/** The write by which an organization becomes that of the operators, unless there is one. */
export function planOperators(orgUid: string): PutDocument {
  return { op: 'put', ...KEY, body: { orgUid }, expectedRevision: 0 }
}

/**
 * Who runs the service, as far as its API goes: the administrators, and keys with the capability, of
 * one organization, the one that the first start made. Which it is stands in the catalog from then on,
 * so that no organization becomes it by being the oldest that is left.
 */
export class Operators {
  readonly #orgUid: string

  private constructor(orgUid: string) {
    this.#orgUid = orgUid
  }

  /** Reads which organization it is; a folder from before is marked with its oldest. */
  static async open(deps: {
    readonly store: Pick<CatalogStore, 'get' | 'commit'>
    readonly organizations: Pick<Organizations, 'list'>
  }): Promise<Operators> {
    const { store } = deps
    const known = await store.get(KEY).catch(whenDamaged)
    if (known === DAMAGED) return new Operators('')
    if (known !== undefined) return new Operators(String(known.body.orgUid))
    const [oldest] = [...deps.organizations.list()].sort((a, b) => a.createdAtMs - b.createdAtMs)
    if (oldest === undefined) return new Operators('')
    try {
      await store.commit([planOperators(oldest.uid)])
    } catch (error) {
      if (!(error instanceof CatalogConflict)) throw error
      return Operators.open(deps)
    }
    return new Operators(oldest.uid)
  }

  /** The organization of the operators as the catalog has it; '' when there is none. */
  static async findOrg(store: Pick<CatalogStore, 'get'>): Promise<string> {
    const known = await store.get(KEY).catch(whenDamaged)
    return known === undefined || known === DAMAGED ? '' : String(known.body.orgUid)
  }

  /** Refuses with `forbidden` unless the caller operates the service and may use the method. */
  require(principal: Principal, resource: string, method: Method): void {
    if (principal.orgUid !== this.#orgUid) {
      const what = `Only operators can access ${resource}: the administrators of the first organization of this service`
      refuse('forbidden', { what })
    }
    requirePermit(principal, resource, method)
  }
}

/** Nobody operates a service that has lost who does: better than the wrong ones, or no start. */
function whenDamaged(error: unknown): typeof DAMAGED {
  if (error instanceof CatalogDamaged) return DAMAGED
  throw error
}

/** Whether a caller may know the IDs of an organization's components. */
export function maySeeComponents(principal: Principal, orgUid: string): boolean {
  return principal.orgUid === orgUid && allows(principal, 'component', 'GET')
}

/** Whether a caller may learn which stream an error is about. */
export function maySeeStream(
  principal: Principal,
  place: { readonly orgUid: string; readonly uid: string; readonly componentUid: string },
): boolean {
  const resource = `component/${place.componentUid}/stream/${place.uid}/feed`
  return place.orgUid === principal.orgUid && allows(principal, resource, 'GET')
}
