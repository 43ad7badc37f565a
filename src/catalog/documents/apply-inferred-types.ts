import { refuse } from '../../base/index.ts'
import { CatalogConflict, type CatalogWrite, type StreamHandle } from '../../store/index.ts'
import { streamWrite } from '../record/stream-rules.ts'
import { streamBodyOf } from '../shape/stream-shape.ts'
import type { ValueType } from '../shape/value-type.ts'
import type { Documents } from './documents.ts'
import { BY_DEVICES } from './record-change.ts'
import { retryConflicts } from './retry-conflicts.ts'

/** A stream without a type, and the type it shall get. */
export interface InferredType {
  readonly handle: StreamHandle
  readonly valueType: ValueType
}

/**
 * Gives streams without a type the type of their first values, durably. One that has got a type
 * meanwhile keeps it: callers look at the index afterwards.
 */
export async function applyInferredTypes(
  documents: Documents,
  inferred: readonly InferredType[],
): Promise<void> {
  await retryConflicts(documents, async () => {
    const isOpen = ({ handle }: InferredType): boolean => documents.index.valueCodeOf(handle) === 0
    const writes = await typeWrites(documents, inferred.filter(isOpen))
    if (writes.length > 0) await documents.commit(writes, BY_DEVICES)
  })
}

/** The writes that give streams their types; a conflict when one has got a type meanwhile. */
export async function typeWrites(
  documents: Documents,
  inferred: readonly InferredType[],
): Promise<CatalogWrite[]> {
  const writes: CatalogWrite[] = []
  for (const inferredType of inferred) writes.push(await typeWrite(documents, inferredType))
  return writes
}

async function typeWrite(
  documents: Documents,
  { handle, valueType }: InferredType,
): Promise<CatalogWrite> {
  const { index } = documents
  if (!index.has(handle)) refuseDeleted()
  const { orgUid, uid: componentUid } = index.componentOf(handle)
  const uid = index.streamUid(handle)
  const stream = await documents.getStream(orgUid, uid)
  if (stream === undefined) refuseDeleted()
  const body = streamBodyOf(stream)
  if (body.valueType !== '') throw new CatalogConflict(stream, undefined)
  return streamWrite({ orgUid, uid, componentUid }, { ...body, valueType }, stream.revision)
}

/** Refuses a call whose streams another call has deleted meanwhile. */
export function refuseDeleted(): never {
  refuse('not_found', { what: 'The stream was deleted while this call ran: send it again' })
}
