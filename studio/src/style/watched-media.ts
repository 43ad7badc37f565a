/**
 * A media query whose result is read at any time, as pages do when they render. Chromium sends no `change` event when
 * `matches` of the query was read after the change and before the event. So only the event sets it here.
 */
export class WatchedMedia {
  readonly #query: MediaQueryList
  #isMatched: boolean

  constructor(text: string) {
    this.#query = matchMedia(text)
    this.#isMatched = this.#query.matches
    this.#query.addEventListener('change', ({ matches }) => {
      this.#isMatched = matches
    })
  }

  readonly isMatched = (): boolean => this.#isMatched

  /** Calls the listener on each change from here on. Returns what ends that. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#query.addEventListener('change', listener)
    return () => this.#query.removeEventListener('change', listener)
  }
}
