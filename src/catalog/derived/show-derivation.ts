import { allows, type Principal } from '../../access/index.ts'
import type { StreamIndex } from '../index/stream-index.ts'
import type { Derivation, DerivationStatus, ShownDerivation } from '../shape/derivation-shape.ts'

/** Looks up the IDs of a source by its UIDs. Blank when it is deleted or not visible. */
export type NameSource = (
  componentUid: string,
  streamUid: string,
) => { readonly componentId: string; readonly streamId: string }

const UNNAMED = { componentId: '', streamId: '' }

/** Names sources of an organization as the index knows them; a caller learns only what it may see. */
export function sourceNames(
  index: StreamIndex,
  orgUid: string,
  principal: Principal | undefined,
): NameSource {
  return (componentUid, streamUid) => {
    const handle = index.streamByUid(orgUid, streamUid)
    if (handle === 0) return UNNAMED
    const resource = `component/${componentUid}/stream/${streamUid}`
    if (principal !== undefined && !allows(principal, resource, 'GET')) return UNNAMED
    return { componentId: index.componentOf(handle).compId, streamId: index.streamIdOf(handle) }
  }
}

/** How a stream is derived, as callers see it; sources in its own component are shown without one. */
export function showDerivation(
  { variables, ...derivation }: Derivation,
  of: { readonly componentUid: string; readonly names: NameSource },
): ShownDerivation {
  return {
    ...derivation,
    variables: variables.map((variable) => {
      const isOwn = variable.componentUid === ''
      const { streamUid } = variable
      const named = of.names(isOwn ? of.componentUid : variable.componentUid, streamUid)
      const streamId = streamUid === '' ? variable.streamId : named.streamId
      return { ...variable, componentId: isOwn ? '' : named.componentId, streamId }
    }),
  }
}

/** Whether a caller may read the samples of every source. */
export function mayReadSources(
  principal: Principal,
  { variables }: Pick<Derivation, 'variables'>,
  ownComponentUid: string,
): boolean {
  return variables.every(({ componentUid, streamUid }) => {
    const resource = `component/${componentUid || ownComponentUid}/stream/${streamUid}/feed`
    return allows(principal, resource, 'GET')
  })
}

/** A status without the samples that made a formula fail, and what is said of them. */
export function withoutValues(status: DerivationStatus): DerivationStatus {
  const { lastError } = status
  if (lastError === null || lastError.time === null) return status
  const message = 'The formula failed. Only users who can read its sources see the values'
  return { ...status, lastError: { ...lastError, message, values: {} } }
}
