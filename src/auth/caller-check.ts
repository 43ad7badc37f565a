import { hasKept, type Principal } from '../access/index.ts'
import { refuse } from '../base/index.ts'
import type { Admission } from './admission.ts'
import type { AuthCall, Caller } from './authenticator.ts'

/** Looked up so often an act gives up: somebody changes the caller's own records without end. */
const ROUNDS_MAX = 10

/**
 * How a caller stands while their call goes on. A body may take minutes to arrive and a password its
 * turn to be hashed, and meanwhile the credential may end, the role change, the organization go.
 */
export class CallerCheck {
  readonly #admission: Admission
  readonly #callOf: () => AuthCall
  #caller: Caller
  #asOf: number

  /** `asOf`: what `admission.changes` was before the caller was let in. */
  constructor(
    admission: Admission,
    admitted: {
      readonly callOf: () => AuthCall
      readonly caller: Caller
      readonly asOf: number
    },
  ) {
    this.#admission = admission
    this.#callOf = admitted.callOf
    this.#caller = admitted.caller
    this.#asOf = admitted.asOf
  }

  /**
   * The caller as of this moment, whose rights the act has yet to look at. Refuses as it would be
   * refused if the call began here, and one that would go to another organization by now. No promise
   * where nobody's rights have changed.
   */
  renew(): Caller | Promise<Caller> {
    return this.#asOf === this.#admission.changes ? this.#caller : this.renewNow()
  }

  /** The token of the session by which the caller calls; undefined: by something else. */
  get sessionToken(): string | undefined {
    const { credential } = this.#callOf()
    return credential?.kind === 'session' ? credential.value : undefined
  }

  /** As `renew`, for calls without end: time alone may have ended the credential. */
  async renewNow(): Promise<Caller> {
    const { changes } = this.#admission
    this.#caller = await this.#admission.readmit(this.#callOf(), this.#caller)
    this.#asOf = changes
    return this.#caller
  }

  /** As `renew`, for an act that has looked at the rights: refuses also a caller who has lost some since. */
  async hold(): Promise<void> {
    const permitted: Principal = this.#caller.principal
    for (let round = 0; this.#asOf !== this.#admission.changes; round += 1) {
      if (round === ROUNDS_MAX) refuse('conflict', { what: `${CHANGED}. Send it again` })
      const { principal } = await this.renew()
      if (!hasKept(permitted, principal)) {
        refuse('forbidden', { what: `${CHANGED}. Send it again if you still have permission` })
      }
    }
  }
}

const CHANGED = 'Your permissions changed while this request was running'
