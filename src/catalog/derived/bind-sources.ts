import type { Derivation } from '../shape/derivation-shape.ts'
import type { StreamBody } from '../shape/stream-shape.ts'

/** How a stream made from a template is derived: what the template names by ID is bound to the streams beside it. */
export function bindSources(
  { derivation }: StreamBody,
  uidsById: ReadonlyMap<string, string>,
): Derivation | null {
  // Older templates have no such field.
  if (derivation == null) return null
  const variables = derivation.variables.map((variable) => {
    const streamUid = uidsById.get(variable.streamId)
    return streamUid === undefined ? variable : { ...variable, streamUid, streamId: '' }
  })
  return { ...derivation, variables }
}
