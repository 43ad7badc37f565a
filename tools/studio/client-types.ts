/** Types of a client, made by openapi-typescript from a description of the API. */
import { registerHooks } from 'node:module'

/**
 * The generator builds its output with the programming interface of TypeScript 5, which the native
 * compiler does not have: it alone is given that version.
 */
function lendTypeScript5(): { deregister(): void } {
  return registerHooks({
    resolve: (specifier, context, nextResolve) => {
      const isAsking = context.parentURL?.includes('/openapi-typescript/') === true
      const wanted = isAsking && specifier === 'typescript' ? 'typescript-5' : specifier
      return nextResolve(wanted, context)
    },
  })
}

/** The TypeScript source of a client's types. */
export async function clientTypesOf(description: object): Promise<string> {
  const hooks = lendTypeScript5()
  try {
    const { default: generate, astToString } = await import('openapi-typescript')
    const nodes = await generate(description as Parameters<typeof generate>[0], {
      alphabetize: true,
    })
    return astToString(nodes)
  } finally {
    hooks.deregister()
  }
}
