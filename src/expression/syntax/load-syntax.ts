import { createRequire } from 'node:module'

type SyntaxKit = typeof import('./syntax-kit.ts')

const load = createRequire(import.meta.url)
let kit: SyntaxKit | undefined

/**
 * What reads expressions, loaded when the first one is read: Chevrotain takes a tenth of a second and
 * 10 MB, which a service without formulas and SQL does not pay. It is required, not imported, so that
 * reading an expression need not wait.
 */
export function loadSyntax(): SyntaxKit {
  kit ??= load('./syntax-kit.ts') as SyntaxKit
  return kit
}
