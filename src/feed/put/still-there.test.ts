import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { StreamIndex } from '../../catalog/index.ts'
import type { StreamHandle } from '../../store/index.ts'
import { requireStillThere } from './prepare-put.ts'

test('samples of a stream that got another ID since it was found are not acknowledged', async () => {
  const index = new StreamIndex()
  const [orgUid, componentUid, uid] = ['org', randomUUID(), randomUUID()]
  index.putComponent({ orgUid, uid: componentUid, revision: 1, id: 'a', timeZone: 'UTC' })
  const handle = 1 as StreamHandle
  const definition = { streamKind: 0, valueCode: 1, isDerived: false, hasDeleteProfile: false }
  const stream = { ...definition, uid, componentUid, handle, order: 0, grid: '' }
  index.putStream({ ...stream, revision: 1, id: 'before' })
  const { generation } = index
  const batch = { count: 1, handles: Uint32Array.of(handle), removals: [] }
  // The process was paused and learns of the change only when it checks again.
  const ensureFresh = async () => index.putStream({ ...stream, revision: 2, id: 'after' })
  const catalog = { index, catchUps: { ensureFresh } } as unknown as Parameters<
    typeof requireStillThere
  >[0]
  await assert.rejects(requireStillThere(catalog, batch, generation), { code: 'conflict' })
  await requireStillThere(catalog, batch, index.generation)
})
