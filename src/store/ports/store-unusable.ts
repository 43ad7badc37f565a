/** Why a storage cannot be used, though it answers: who can change that is not the same. */
type UnusableCause = 'settings' | 'schema'

/** The storage cannot be used as it is, and waiting does not help: somebody has to see to it. */
export class StoreUnusable extends Error {
  readonly why: UnusableCause

  constructor(why: UnusableCause, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'StoreUnusable'
    this.why = why
  }
}
