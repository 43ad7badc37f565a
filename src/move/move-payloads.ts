/** Payloads of connectors on their way; the streams they were assigned times of have other handles in the target. */
import { createHash } from 'node:crypto'
import type { MovablePayloads, RunOutcome, StreamHandle, WholePayload } from '../store/index.ts'
import type { MoveParts, StreamPair } from './move-side.ts'
import { persist } from './persist.ts'

/** In the place of a stream that is gone: none has it. */
const NO_HANDLE = (2 ** 31 - 1) as StreamHandle

/** The target's handle of a stream of the source. */
export type HandleOf = (source: StreamHandle) => StreamHandle

/** Returns the target's handles by the source's. */
export function handleMap(pairs: readonly StreamPair[]): HandleOf {
  const handles = new Map(pairs.map(({ source, target }) => [source, target]))
  return (source) => handles.get(source) ?? NO_HANDLE
}

/** Makes the target keep the payloads that the source keeps, and no others. */
export async function movePayloads(parts: MoveParts, handleOf: HandleOf): Promise<void> {
  const { source, target, onMoved } = parts
  for (const { connectorUid } of await target.payloads.listConnectors()) {
    await persist(() => target.payloads.deleteOf(connectorUid))
  }
  let count = 0
  for await (const payload of source.payloads.everything()) {
    await persist(() => target.payloads.keepWhole(withHandles(payload, handleOf)))
    count += 1
    onMoved(`moving payloads: ${count}`)
  }
}

/** Reads all payloads back on both sides; returns the connectors whose payloads differ. */
export async function comparePayloads(
  { source, target }: MoveParts,
  handleOf: HandleOf,
): Promise<{ payloads: number; differing: string[] }> {
  const wanted = await digestPayloads(source.payloads, (one) => withHandles(one, handleOf))
  const there = await digestPayloads(target.payloads, (one) => one)
  const uids = new Set([...wanted.digests.keys(), ...there.digests.keys()])
  const differing = [...uids].filter((uid) => wanted.digests.get(uid) !== there.digests.get(uid))
  return {
    payloads: wanted.count,
    differing: differing.map((uid) => `payloads of connector ${uid}`),
  }
}

async function digestPayloads(
  store: MovablePayloads,
  shown: (payload: WholePayload) => WholePayload,
): Promise<{ digests: Map<string, string>; count: number }> {
  const hashes = new Map<string, string[]>()
  let count = 0
  for await (const payload of store.everything()) {
    const { connectorUid } = payload
    const some = hashes.getOrInsertComputed(connectorUid, () => [])
    some.push(
      createHash('sha256')
        .update(textOf(shown(payload)))
        .digest('hex'),
    )
    count += 1
  }
  // In any order: a folder goes by their numbers, a cluster by their times, which a clock may have set back.
  const digests = Array.from(hashes, ([uid, some]) => [uid, some.sort().join()] as const)
  return { digests: new Map(digests), count }
}

/** Without UIDs: a folder gives payloads of a cluster others. */
function textOf(payload: WholePayload): string {
  const { orgUid, connectorUid, time, method, bytes, query, body } = payload
  const assigned = payload.assigned.map((span) => Object.entries(span).sort())
  const earlier = payload.earlier.map((run) => fieldsOf(run.outcome))
  const own = [orgUid, connectorUid, time, method, bytes, query, body]
  return JSON.stringify([...own, fieldsOf(payload.outcome), assigned, earlier])
}

function fieldsOf(outcome: RunOutcome | undefined): unknown[] {
  if (outcome === undefined) return []
  const { start, end, status, rowsFetched, rowsIngested, rowsSkipped, samples, message } = outcome
  return [start, end, status, rowsFetched, rowsIngested, rowsSkipped, samples, message]
}

function withHandles(payload: WholePayload, handleOf: HandleOf): WholePayload {
  const assigned = payload.assigned.map((span) => ({ ...span, handle: handleOf(span.handle) }))
  return { ...payload, assigned }
}
