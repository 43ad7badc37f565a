/** The type of a derived stream, which it gets for good before it has its first sample. */
import { nextIteration } from '../base/index.ts'
import type { Catalog, InferredType } from '../catalog/index.ts'
import { VALUE_TYPES, type ValueType } from '../catalog/shape/index.ts'
import type { StreamHandle } from '../store/index.ts'
import { type DerivationGraph, type DerivationPlan, isProblem } from './derivation-plan.ts'

/** Streams that get their types in one commit. */
const STREAMS_AT_ONCE = 100

type TypedCatalog = Pick<Catalog, 'index' | 'applyInferredTypes'>

/** The type that a stream has; '' while it has none. */
function typeOf({ index }: TypedCatalog, handle: StreamHandle): ValueType {
  return VALUE_TYPES[index.valueCodeOf(handle)]
}

/**
 * A plan with the type that its stream has in the catalog. One that has none gets the inferred one, durably, unless
 * another call was first: what is derived is settled to the type that is there.
 */
export async function typedPlan(
  catalog: TypedCatalog,
  plan: DerivationPlan,
  shownType: ValueType = plan.valueType,
): Promise<DerivationPlan> {
  const { handle } = plan
  // Of one that is no derived stream any more nothing is stored.
  if (!catalog.index.isDerived(handle)) return plan
  if (shownType !== '' && typeOf(catalog, handle) === '') {
    await catalog.applyInferredTypes([{ handle, valueType: shownType }])
  }
  const valueType = typeOf(catalog, handle)
  return valueType === '' || valueType === plan.valueType ? plan : { ...plan, valueType }
}

interface SettlerDeps {
  readonly catalog: TypedCatalog
  readonly graph: DerivationGraph
  readonly onFailure: (error: unknown) => void
}

/**
 * Gives derived streams without a type that of their formula, as soon as the types of their sources determine it;
 * streams that are derived from these follow. What it cannot commit is left to the first result.
 */
export class TypeSettler {
  readonly #deps: SettlerDeps
  /** Each derived stream once. */
  readonly #due = new Set<StreamHandle>()
  #working: Promise<void> | undefined
  #isClosed = false

  constructor(deps: SettlerDeps) {
    this.#deps = deps
  }

  /** Looks at what the last process left. */
  start(): void {
    const { catalog, graph } = this.#deps
    const isTyped = (handle: StreamHandle) => typeOf(catalog, handle) !== ''
    for (const derived of graph.derived()) {
      if (!isTyped(derived) && graph.sourcesOf(derived).some(isTyped)) this.add(derived)
    }
  }

  /** Takes in a derived stream whose sources may determine its type. */
  add(derived: StreamHandle): void {
    if (this.#isClosed) return
    this.#due.add(derived)
    this.#begin()
  }

  #begin(): void {
    this.#working ??= this.#work().finally(() => {
      this.#working = undefined
      // What came in while the last look ended.
      if (this.#due.size > 0) this.#begin()
    })
  }

  /** Waits until nothing is left to look at. */
  async settle(): Promise<void> {
    while (this.#working !== undefined) await this.#working
  }

  /** Ends the work under way. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#due.clear()
    await this.settle()
  }

  async #work(): Promise<void> {
    // Saves go first.
    await nextIteration()
    while (this.#due.size > 0) {
      const some = [...this.#due].slice(0, STREAMS_AT_ONCE)
      for (const derived of some) this.#due.delete(derived)
      const inferred: InferredType[] = []
      for (const derived of some) {
        const inferredType = await this.#inferredOf(derived)
        if (inferredType !== undefined) inferred.push(inferredType)
        await nextIteration()
      }
      await this.#apply(inferred)
    }
  }

  async #inferredOf(handle: StreamHandle): Promise<InferredType | undefined> {
    const { catalog, graph, onFailure } = this.#deps
    const isOpen = () => catalog.index.has(handle) && typeOf(catalog, handle) === ''
    if (!isOpen()) return undefined
    try {
      const plan = await graph.planOf(handle)
      if (isProblem(plan) || plan.valueType === '' || !isOpen()) return undefined
      return { handle, valueType: plan.valueType }
    } catch (error) {
      onFailure(error)
      return undefined
    }
  }

  /** All in one commit; one by one where that fails, as it does when one of them was just deleted. */
  async #apply(inferred: readonly InferredType[]): Promise<void> {
    const { catalog, onFailure } = this.#deps
    if (inferred.length === 0 || this.#isClosed) return
    try {
      await catalog.applyInferredTypes(inferred)
    } catch (error) {
      if (inferred.length > 1) {
        for (const inferredType of inferred) await this.#apply([inferredType])
      } else if (catalog.index.has(inferred[0].handle)) onFailure(error)
    }
  }
}
