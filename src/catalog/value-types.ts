import { refuse } from '../base/index.ts'
import type { CatalogWrite, StreamHandle } from '../store/index.ts'
import type { Documents } from './documents.ts'
import { retryConflicts } from './retry-conflicts.ts'
import { putStreamOrder } from './stream-rules.ts'
import type { PlacedStreamBody } from './stream-shape.ts'
import type { ValueType } from './value-type.ts'

/**
 * Gives streams without a type the type of their first values, durably. One that has got a type
 * meanwhile keeps it: callers look at the index afterwards.
 */
export async function setValueTypes(
  documents: Documents,
  wishes: readonly { readonly handle: StreamHandle; readonly valueType: ValueType }[],
): Promise<void> {
  await retryConflicts(documents, async () => {
    const orders: CatalogWrite[] = []
    for (const { handle, valueType } of wishes) {
      const order = await typeOrder(documents, handle, valueType)
      if (order !== undefined) orders.push(order)
    }
    if (orders.length > 0) await documents.commit(orders)
  })
}

async function typeOrder(
  documents: Documents,
  handle: StreamHandle,
  valueType: ValueType,
): Promise<CatalogWrite | undefined> {
  const { index } = documents
  if (!index.has(handle)) refuseDeleted()
  if (index.valueCodeOf(handle) !== 0) return undefined
  const { orgUid, uid: componentUid } = index.componentOf(handle)
  const uid = index.streamUid(handle)
  const document = await documents.get({ orgUid, kind: 'stream', uid })
  if (document === undefined) refuseDeleted()
  const body = document.body as unknown as PlacedStreamBody
  return putStreamOrder({ orgUid, uid, componentUid }, { ...body, valueType }, document.revision)
}

function refuseDeleted(): never {
  refuse('not_found', { what: 'The stream was deleted while this call ran: send it again' })
}
