/** The conditions of a statement that depends on what is asked for, with its parameters. */
export class SqlConditions {
  readonly #conditions: string[] = []
  readonly params: unknown[] = []

  add(condition: string): void {
    this.#conditions.push(condition)
  }

  /** Adds a parameter; what stands for it in the statement. */
  param(value: unknown, type = 'text'): string {
    this.params.push(value)
    return `$${this.params.length}::${type}`
  }

  get text(): string {
    return this.#conditions.join(' AND ')
  }
}
