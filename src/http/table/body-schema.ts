import { AjvCompiler } from '@fastify/ajv-compiler'
import type { TSchema } from 'typebox'
import { refusal } from '../../base/index.ts'

/** What a check finds wrong. */
interface Problem {
  readonly instancePath: string
  readonly message?: string
  readonly params?: {
    readonly missingProperty?: unknown
    readonly requiredProperties?: unknown
    readonly allowedValues?: readonly unknown[]
  }
}

type Check = ((body: unknown) => boolean) & { readonly errors?: readonly Problem[] | null }

const build = AjvCompiler()(
  {},
  { customOptions: { coerceTypes: false, removeAdditional: false, useDefaults: true } },
) as unknown as (route: { readonly schema: TSchema }) => Check

/** Compiled when a schema is first used: compiling all of them would slow down every start. */
const checks = new WeakMap<TSchema, Check>()

/** Refuses a body that does not fit a schema, naming the first place; fills in its defaults. */
export function requireFits(schema: TSchema, body: unknown): void {
  const check = checks.getOrInsertComputed(schema, () => build({ schema }))
  if (check(body ?? null)) return
  const problem = deepest(check.errors ?? [])
  throw refusal('bad_input', {
    what: `${wherePlaced(problem)} ${allowedMessage(problem) ?? problem?.message ?? 'is not valid'}`,
    field: problem === undefined ? undefined : fieldOf(problem),
  })
}

/**
 * The problem farthest inside the body: of a field that may also be null, what is wrong with its value. A missing field
 * lies inside its object.
 */
function deepest(problems: readonly Problem[]): Problem | undefined {
  const depth = (problem: Problem) => {
    return problem.instancePath.split('/').length + missingOf(problem).length
  }
  return problems.reduce<Problem | undefined>(
    (found, one) => (found === undefined || depth(one) > depth(found) ? one : found),
    undefined,
  )
}

function wherePlaced(problem: Problem | undefined): string {
  const field = placeOf(problem?.instancePath.split('/').slice(1) ?? [])
  return ['body', field].filter((part) => part !== '').join(': ')
}

/** The field that a check names; of one that is missing, its own path. */
function fieldOf(problem: Problem): string | undefined {
  const parts = [...problem.instancePath.split('/').slice(1), ...missingOf(problem)]
  return parts.length === 0 ? undefined : placeOf(parts)
}

/** The first field that a check does not find; empty where the problem is another. */
function missingOf({ params }: Problem): string[] {
  const missing = [params?.missingProperty ?? params?.requiredProperties ?? []].flat()
  return missing.slice(0, 1).map(String)
}

/** Where only some values are taken: which ones, as the messages of records list them. */
function allowedMessage(problem: Problem | undefined): string | undefined {
  const allowed = problem?.params?.allowedValues
  if (allowed === undefined) return undefined
  return `must be one of ${allowed.map((value) => value || '""').join(', ')}`
}

/** A place in a body as all messages write it, `panels[0].title`; no schema has a field of digits. */
function placeOf(parts: readonly string[]): string {
  return parts.join('.').replace(/\.(\d+)(?=\.|$)/g, '[$1]')
}
