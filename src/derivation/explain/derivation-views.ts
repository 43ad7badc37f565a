import type { Principal } from '../../access/index.ts'
import { refuse } from '../../base/index.ts'
import type { Catalog } from '../../catalog/index.ts'
import type { SampleStore } from '../../store/index.ts'
import { type DerivationPreview, previewDerivation } from './preview-derivation.ts'
import { readStreamGraph, type StreamGraph } from './stream-graph.ts'

/** Previews at the same time: each may hold as many texts as one row of a formula needs. */
const PREVIEWS_MAX = 4
const RETRY_AFTER_SECONDS = 1

/** What people are shown of derived streams while they think about them. */
export class DerivationViews {
  readonly #deps: { readonly catalog: Catalog; readonly store: SampleStore }
  #running = 0

  constructor(deps: { readonly catalog: Catalog; readonly store: SampleStore }) {
    this.#deps = deps
  }

  /** The newest results that a stream would have, saved or not; see previewDerivation. */
  async preview(
    principal: Principal,
    componentUid: string,
    input: unknown,
  ): Promise<DerivationPreview> {
    if (this.#running >= PREVIEWS_MAX) {
      refuse('overloaded', { retryAfterSeconds: RETRY_AFTER_SECONDS })
    }
    this.#running += 1
    try {
      return await previewDerivation(this.#deps, principal, componentUid, input)
    } finally {
      this.#running -= 1
    }
  }

  /** What a stream is derived from and what is derived from it; see readStreamGraph. */
  async graph(
    principal: Principal,
    path: { readonly componentUid: string; readonly uid: string },
  ): Promise<StreamGraph> {
    return await readStreamGraph(this.#deps.catalog, principal, path)
  }
}
