/** A map whose changes stand or fall together, step by step. */
export class StepMap<K, V> {
  readonly #kept = new Map<K, V>()
  readonly #step = new Map<K, V>()

  get(key: K): V | undefined {
    return this.#step.get(key) ?? this.#kept.get(key)
  }

  set(key: K, value: V): void {
    this.#step.set(key, value)
  }

  /** Makes what the step has set stand. */
  keep(): void {
    for (const [key, value] of this.#step) this.#kept.set(key, value)
    this.#step.clear()
  }

  /** Takes back what the step has set. */
  drop(): void {
    this.#step.clear()
  }

  /** The values that stand. */
  values(): Iterable<V> {
    return this.#kept.values()
  }

  /** The value before the step. */
  keptOf(key: K): V | undefined {
    return this.#kept.get(key)
  }
}
