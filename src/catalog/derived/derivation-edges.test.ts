import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import type { StreamHandle } from '../../store/index.ts'
import { StreamIndex } from '../index/stream-index.ts'
import { DerivationEdges } from './derivation-edges.ts'

const ORG = 'org'

/** An index with one component, into which streams are put by handle. */
function openIndex() {
  const index = new StreamIndex()
  const componentUid = randomUUID()
  index.putComponent({ orgUid: ORG, uid: componentUid, revision: 1, id: 'c', timeZone: 'UTC' })
  const uids = new Map<number, string>()
  const uidOf = (handle: number): string => {
    return uids.getOrInsertComputed(handle, () => randomUUID())
  }
  const put = (handle: number): void => {
    index.putStream({
      uid: uidOf(handle),
      componentUid,
      handle: at(handle),
      revision: 1,
      id: `s${handle}`,
      order: handle,
      streamKind: 0,
      valueCode: 1,
      isDerived: false,
      hasDeleteProfile: false,
      grid: '',
    })
  }
  const derivedFrom = (...sources: number[]) => ({
    derivation: { variables: sources.map((source) => ({ streamUid: uidOf(source) })) },
  })
  return { index, put, uidOf, derivedFrom }
}

const at = (handle: number) => handle as StreamHandle
const noted = (handle: number, revision: number, more: object) =>
  ({ orgUid: ORG, handle: at(handle), revision, more }) as Parameters<DerivationEdges['note']>[0]

test('settle() draws edges to sources that another commit is still bringing, once they are there', () => {
  const { index, put, derivedFrom } = openIndex()
  const edges = new DerivationEdges()
  for (const handle of [1, 2]) put(handle)
  edges.note(noted(1, 1, derivedFrom(2, 3)))
  assert.equal(edges.isEmpty, true)
  // Another commit ends while half of this one is in the index.
  edges.settle(index, false)
  assert.deepEqual(edges.sourcesOf(at(1)), [2])
  put(3)
  edges.settle(index, true)
  assert.deepEqual(edges.sourcesOf(at(1)), [2, 3])
  assert.deepEqual(edges.dependentsOf(at(3)), [1])
})

test('settle() gives up sources that are gone once the index is whole', () => {
  const { index, put, derivedFrom } = openIndex()
  const edges = new DerivationEdges()
  put(1)
  edges.note(noted(1, 1, derivedFrom(9)))
  edges.settle(index, true)
  assert.deepEqual([edges.isEmpty, edges.derived()], [true, [1]])
  const { generation } = edges
  edges.settle(index, true)
  assert.equal(edges.generation, generation)
})

test('note() keeps the later of two commits that are followed in the wrong order', () => {
  const { index, put, derivedFrom } = openIndex()
  const edges = new DerivationEdges()
  for (const handle of [1, 2, 3]) put(handle)
  edges.note(noted(1, 2, derivedFrom(3)))
  edges.note(noted(1, 1, derivedFrom(2)))
  edges.settle(index, true)
  assert.deepEqual(edges.sourcesOf(at(1)), [3])
  edges.note(noted(1, 1, derivedFrom(2)))
  edges.settle(index, true)
  assert.deepEqual(edges.sourcesOf(at(1)), [3])
  edges.note(noted(1, 3, {}))
  edges.settle(index, true)
  assert.deepEqual([edges.isEmpty, edges.derived()], [true, []])
})

test('delete() forgets a stream as source and as derived, and leaves the others', () => {
  const { index, put, derivedFrom } = openIndex()
  const edges = new DerivationEdges()
  for (const handle of [1, 2, 3, 4]) put(handle)
  edges.note(noted(2, 1, derivedFrom(1)))
  edges.note(noted(3, 1, derivedFrom(1, 2)))
  edges.note(noted(4, 1, derivedFrom(2)))
  edges.settle(index, true)
  edges.delete(at(2))
  assert.deepEqual(edges.dependentsOf(at(1)), [3])
  assert.deepEqual(edges.sourcesOf(at(3)), [1])
  assert.deepEqual(edges.sourcesOf(at(4)), [])
  assert.deepEqual(edges.sources(), [1])
  assert.deepEqual(edges.derived(), [3, 4])
})
