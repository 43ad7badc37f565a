/** Stored bytes that do not check; nothing of them may be served. */
export class DamagedBytes extends Error {
  constructor(what: string, options?: ErrorOptions) {
    super(what, options)
    this.name = 'DamagedBytes'
  }
}
