import type { Principal } from '../../access/index.ts'
import { PreviewTurns } from '../../base/index.ts'
import type { Catalog } from '../../catalog/index.ts'
import type { SampleStore } from '../../store/index.ts'
import { EvaluationThread } from '../evaluate/evaluation-thread.ts'
import {
  type DerivationPreview,
  PREVIEW_CPU_MS_MAX,
  previewDerivation,
  TEXT_LENGTH_SHOWN,
} from './preview-derivation.ts'
import { readStreamGraph, type StreamGraph } from './stream-graph.ts'

/** What people are shown of derived streams while they think about them. */
export class DerivationViews {
  readonly #deps: { readonly catalog: Catalog; readonly store: SampleStore }
  /** Apart from the thread of derivations, which previews must not delay. */
  readonly #thread = new EvaluationThread({
    name: 'preview',
    cpuMsMax: PREVIEW_CPU_MS_MAX,
    textLengthMax: TEXT_LENGTH_SHOWN,
    refusesExhausted: true,
  })
  readonly #turns = new PreviewTurns()

  constructor(deps: { readonly catalog: Catalog; readonly store: SampleStore }) {
    this.#deps = deps
  }

  /**
   * The newest results that a stream would have, saved or not; see previewDerivation. Runs one preview of an
   * organization at a time, and refuses more than a few that wait.
   */
  async preview(
    principal: Principal,
    componentUid: string,
    input: unknown,
  ): Promise<DerivationPreview> {
    const deps = { ...this.#deps, thread: this.#thread }
    return await this.#turns.run(principal.orgUid, () =>
      previewDerivation(deps, principal, componentUid, input),
    )
  }

  /** What a stream is derived from and what is derived from it; see readStreamGraph. */
  async graph(
    principal: Principal,
    path: { readonly componentUid: string; readonly uid: string },
  ): Promise<StreamGraph> {
    return await readStreamGraph(this.#deps.catalog, principal, path)
  }

  /** Ends the thread of previews. */
  async close(): Promise<void> {
    await this.#thread.close()
  }
}
