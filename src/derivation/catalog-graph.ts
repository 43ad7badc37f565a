import { BoundedCache } from '../base/index.ts'
import type { Catalog } from '../catalog/index.ts'
import { CatalogDamaged, type StreamHandle } from '../store/index.ts'
import { buildPlan, type PlanDocuments, readPlanDocuments } from './build-plan.ts'
import {
  type DerivationGraph,
  type DerivationPlan,
  isProblem,
  type PlanProblem,
} from './derivation-plan.ts'

/** Plans of some kilobytes each. */
const PLANS_MAX = 10_000

interface KeptPlan {
  /** What the plan was made of. */
  readonly key: string
  /** The same without what does not concern the formula. */
  readonly formula: string
  readonly plan: DerivationPlan | PlanProblem
}

/** The graph of the catalog's derived streams, of every organization. */
export class CatalogGraph implements DerivationGraph {
  readonly #catalog: Catalog
  readonly #plans = new BoundedCache<StreamHandle, KeptPlan>(PLANS_MAX)

  constructor(catalog: Catalog) {
    this.#catalog = catalog
  }

  get isEmpty(): boolean {
    return this.#catalog.derivations.isEmpty
  }

  get generation(): number {
    return this.#catalog.derivations.generation
  }

  hasDependents(handle: StreamHandle): boolean {
    return this.#catalog.derivations.hasDependents(handle)
  }

  dependentsOf(handle: StreamHandle): readonly StreamHandle[] {
    return this.#catalog.derivations.dependentsOf(handle)
  }

  sourcesOf(derived: StreamHandle): readonly StreamHandle[] {
    return this.#catalog.derivations.sourcesOf(derived)
  }

  isRevised(derived: StreamHandle): boolean {
    return this.#catalog.derivations.isRevised(derived)
  }

  watched(): readonly StreamHandle[] {
    return this.#catalog.derivations.sources()
  }

  derived(): readonly StreamHandle[] {
    return this.#catalog.derivations.derived()
  }

  async planOf(derived: StreamHandle): Promise<DerivationPlan | PlanProblem> {
    try {
      return await this.#planOf(derived)
    } catch (error) {
      if (!(error instanceof CatalogDamaged)) throw error
      return { problem: 'records of the stream or of its sources are damaged' }
    }
  }

  async #planOf(derived: StreamHandle): Promise<DerivationPlan | PlanProblem> {
    const documents = await readPlanDocuments(this.#catalog, derived)
    if ('problem' in documents) return documents
    const key = keyOf(documents)
    const kept = this.#plans.get(derived)
    if (kept?.key === key) return kept.plan
    const made = await buildPlan(this.#catalog.index, documents)
    const formula = formulaOf(documents)
    const plan = kept?.formula === formula ? sameOf(kept.plan, made) : made
    this.#plans.set(derived, { key, formula, plan })
    return plan
  }
}

/**
 * The plan that was, where a stream has only got another name or the type that its results determined: runs
 * under way look at the type themselves, and take another plan for another formula.
 */
function sameOf(
  before: DerivationPlan | PlanProblem,
  after: DerivationPlan | PlanProblem,
): DerivationPlan | PlanProblem {
  if (isProblem(before) || isProblem(after)) return after
  return before.valueType === '' || before.valueType === after.valueType ? before : after
}

/** What a formula is evaluated with, in a text. */
function formulaOf({ stream, timeZone, sources }: PlanDocuments): string {
  return JSON.stringify([stream.derivation, stream.leftAlone, timeZone, partsOf(sources)])
}

function partsOf(sources: PlanDocuments['sources']) {
  return sources.map(({ uid, revision, timeZone, window }) => [
    uid,
    revision,
    timeZone,
    window === undefined ? null : window.definition,
  ])
}

/** Everything that a plan depends on, in a text: catalog events do not cover cycles, which are therefore included. */
function keyOf({ stream, timeZone, sources }: PlanDocuments): string {
  return JSON.stringify([stream.revision, timeZone, partsOf(sources)])
}
