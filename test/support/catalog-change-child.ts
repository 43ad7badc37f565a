/**
 * A process that creates, changes and deletes components for ever, several at once, and prints the number of each that
 * is through, with the handles of its streams.
 */
import { countedUidOf, newUid } from '../../src/base/index.ts'
import { openCatalogStore } from '../../src/store/embedded/index.ts'
import type { StoredStream } from '../../src/store/index.ts'
import {
  componentFields,
  createOf,
  putComponent,
  putStream,
  streamFields,
} from '../contract/catalog-components.ts'

const [folder, first] = process.argv.slice(2)
const store = await openCatalogStore({ folder })
const remove = { op: 'delete', orgUid: 'org', expectedRevision: 'any' } as const

async function liveThrough(number: number): Promise<void> {
  const create = createOf([[`made-${number}`, ['s', 't']]], {
    addressedAs: [[`x:${number}`]],
    series: [{ number: `${number}` }, undefined],
  })
  const { uid } = create
  const { firstHandles } = await store.commit([create])
  const fields = componentFields(`changed-${number}`, { addressedAs: [`y:${number}`] })
  const { records } = await store.commit([
    putStream(newUid(), { ...streamFields('own'), componentUid: uid }),
    putComponent(uid, fields, { expectedRevision: 1 }),
  ])
  const own = records[0] as StoredStream
  // Every other goes, with a deletion that must be whole.
  if (number % 2 === 0) {
    const uids = [own.uid, countedUidOf(uid, 1), countedUidOf(uid, 2)]
    await store.commit([
      ...uids.map((one) => ({ ...remove, kind: 'stream', uid: one })),
      { ...remove, kind: 'component', uid },
    ])
  }
  process.stdout.write(`${number} ${firstHandles[0]} ${firstHandles[0] + 1} ${own.handle}\n`)
}

for (let group = Number(first); ; group += 4) {
  await Promise.all([0, 1, 2, 3].map((offset) => liveThrough(group + offset)))
}
