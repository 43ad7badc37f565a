import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StreamInput } from '../../src/catalog/shape/index.ts'
import { type OpenedCatalog, ownerOf, withCatalog } from '../support/catalog.ts'

const ORG = 'org-1'
const owner = ownerOf(ORG)
const LINKS = 600

const over = (streamId: string): StreamInput => ({
  derivation: { expression: 'v + 1', variables: [{ name: 'v', streamId }] },
})

/** Links that each read another one, in an order that has nothing to do with where they stand. */
const chain = (): StreamInput[] => [
  { id: 'a', valueType: 'DOUBLE' },
  ...Array.from({ length: LINKS }, (_, at) => {
    const number = (at * 7) % LINKS
    return { id: `d${at}`, ...over(number === 0 ? 'a' : `d${((number - 1) * 343) % LINKS}`) }
  }),
]

/** The link at this position of the chain. */
const linkOf = (number: number): string => `d${(number * 343) % LINKS}`

/** Counts the records that a call reads. */
async function readsOf({ store }: OpenedCatalog, call: () => Promise<unknown>): Promise<number> {
  let reads = 0
  const { components } = store
  const get = components.getStream.bind(components)
  components.getStream = (orgUid, uid) => {
    reads += 1
    return get(orgUid, uid)
  }
  await call()
  components.getStream = get
  return reads
}

test('a loop over a long chain is refused, and a link added to it, without reading the records along it', () =>
  withCatalog(async (opened) => {
    assert.equal((7 * 343) % LINKS, 1)
    const made = await opened.catalog.components.insert(owner, { id: 'c', stream: chain() })
    const componentUid = made.uid
    await opened.restart()
    const { index, streams } = opened.catalog
    const uid = index.streamUid(index.resolve(ORG, 'c', linkOf(0)))
    const refused = await readsOf(opened, async () => {
      const save = streams.update(owner, { componentUid, uid }, over(linkOf(LINKS - 1)))
      const path = [linkOf(0), linkOf(LINKS - 1), linkOf(LINKS - 2)].map((id) => `"${id}"`)
      await assert.rejects(save, new RegExp(`make a loop.*: ${path.join(' → ')} → .*…`))
    })
    assert.ok(refused < 40, `${refused} records`)
    const added = await readsOf(opened, async () => {
      await streams.insert(owner, componentUid, { id: 'next', ...over(linkOf(LINKS - 1)) })
    })
    assert.ok(added < 20, `${added} records`)
  }))

test('of two saves at once that make a loop together one is refused', () =>
  withCatalog(async (opened) => {
    const { components, streams } = opened.catalog
    const keys: { componentUid: string; uid: string }[] = []
    for (const id of ['c0', 'c1']) {
      const stream = [
        { id: 'a', valueType: 'DOUBLE' as const },
        { id: 'd', ...over('a') },
      ]
      const made = await components.insert(owner, { id, stream })
      keys.push({ componentUid: made.uid, uid: made.stream?.[1].uid ?? '' })
    }
    const saves = keys.map((key, at) => {
      const variables = [{ name: 'v', componentId: `c${1 - at}`, streamId: 'd' }]
      return streams.update(owner, key, { derivation: { expression: 'v', variables } })
    })
    const ends = await Promise.allSettled(saves)
    assert.deepEqual(ends.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
    for (const end of ends) {
      if (end.status === 'rejected') assert.match(String(end.reason), /make a loop/)
    }
  }))
