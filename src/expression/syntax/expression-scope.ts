import { ExpressionError } from '../expression-error.ts'
import type { ExpressionType, ExpressionVariable } from '../expression-types.ts'

/** More variables than this have no use, and each costs a look at its type. */
const VARIABLES_MAX = 1_000

/** A variable with its place among the values that are handed in. */
interface ScopedVariable {
  readonly name: string
  readonly type: ExpressionType
  readonly index: number
}

/** The variables of an expression, found by name whatever their capitals. */
export class ExpressionScope {
  readonly variables: readonly ScopedVariable[]
  readonly #byName = new Map<string, ScopedVariable>()

  constructor(variables: readonly ExpressionVariable[]) {
    if (variables.length > VARIABLES_MAX) {
      failScope(`Too many variables: ${variables.length}, at most ${VARIABLES_MAX}`)
    }
    this.variables = variables.map(({ name, type }, index) => ({ name, type, index }))
    for (const variable of this.variables) {
      const key = variable.name.toLowerCase()
      if (variable.name === '') failScope('A variable has no name. Enter one')
      const other = this.#byName.get(key)
      if (other !== undefined) {
        failScope(
          `The variables "${other.name}" and "${variable.name}" have the same name. Rename one`,
        )
      }
      this.#byName.set(key, variable)
    }
  }

  find(name: string): ScopedVariable | undefined {
    return this.#byName.get(name.toLowerCase())
  }
}

function failScope(problem: string): never {
  throw new ExpressionError(problem, '', { from: 0, until: 0 })
}
