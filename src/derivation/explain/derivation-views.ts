import type { Principal } from '../../access/index.ts'
import { KeyedMutex, refuse } from '../../base/index.ts'
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

/** Previews of an organization that run, which is one, or wait: an editor shows the newest alone. */
const PREVIEWS_PER_ORG_MAX = 3

/** Previews of all organizations that run or wait: each may hold the texts of one row. */
const PREVIEWS_MAX = 20

/** A preview takes about as long at most. */
const RETRY_AFTER_SECONDS = 2

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
  readonly #turns = new KeyedMutex<string>()
  /** Previews that run or wait, by organization. */
  readonly #counts = new Map<string, number>()

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
    const { orgUid } = principal
    this.#enter(orgUid)
    const deps = { ...this.#deps, thread: this.#thread }
    try {
      return await this.#turns.run([orgUid], () =>
        previewDerivation(deps, principal, componentUid, input),
      )
    } finally {
      this.#leave(orgUid)
    }
  }

  #enter(orgUid: string): void {
    const own = this.#counts.get(orgUid) ?? 0
    let all = 0
    for (const count of this.#counts.values()) all += count
    if (own >= PREVIEWS_PER_ORG_MAX || all >= PREVIEWS_MAX) {
      refuse('preview_unavailable', {
        what: `Too many previews. An organization can run 1 at a time, with ${PREVIEWS_PER_ORG_MAX - 1} waiting. Try again later`,
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      })
    }
    this.#counts.set(orgUid, own + 1)
  }

  #leave(orgUid: string): void {
    const own = this.#counts.get(orgUid) ?? 0
    if (own > 1) this.#counts.set(orgUid, own - 1)
    else this.#counts.delete(orgUid)
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
