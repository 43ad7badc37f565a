import { refuse, Type } from '../../base/index.ts'
import { descriptionShape, nameShape } from '../../catalog/shape/index.ts'
import { doneAnswer } from '../openapi/answer-schema.ts'

/** Flags of the property GET. */
export const propertyQuery = Type.Object({
  name: Type.Optional(Type.Boolean({ description: 'Present: include the name' })),
  description: Type.Optional(Type.Boolean({ description: 'Present: include the description' })),
})

const properties = Type.Object(
  { name: nameShape, description: descriptionShape },
  { title: 'Properties' },
)

/** The body of the property POST. */
export const propertyBody = Type.Array(Type.Object({ component: properties }), {
  minItems: 1,
  maxItems: 1,
  examples: [[{ component: { name: 'Boiler, cellar' } }]],
})

/** The answer of the property GET. */
export const propertyAnswer = Type.Array(
  Type.Object({ message: Type.String(), component: properties, success: Type.Boolean() }),
  { examples: [[{ message: '', component: { name: 'Boiler, cellar' }, success: true }]] },
)

/** The answer of the property POST. */
export const propertySetAnswer = Type.Array(doneAnswer, {
  examples: [[{ success: true, message: '' }]],
})

/** What a property POST changes. */
interface PropertyChange {
  readonly name?: string
  readonly description?: string
}

const FORM = '[{"component":{"name":"…","description":"…"}}]'

/** Reads the body of a property POST; refuses one that names nothing to change. */
export function readPropertyBody(body: unknown): PropertyChange {
  const [item, ...more] = Array.isArray(body) ? body : []
  const component = isObject(item) ? item.component : undefined
  if (!isObject(component) || more.length > 0) {
    refuse('bad_input', { what: `The body must be a JSON array of 1 entry, of the form ${FORM}` })
  }
  const { name, description } = component
  for (const [key, value] of Object.entries({ name, description })) {
    if (value === undefined || typeof value === 'string') continue
    const field = `component.${key}`
    refuse('bad_input', { what: `${field} must be a string`, field })
  }
  if (name === undefined && description === undefined) {
    refuse('bad_input', { what: 'component must have a name or a description to set' })
  }
  return component as PropertyChange
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
