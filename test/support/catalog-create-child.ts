/** A process that creates components for ever, several commits at once, and prints the number of each made. */
import { openCatalogStore } from '../../src/store/embedded/index.ts'
import { createOf } from '../contract/catalog-components.ts'

/** Components of a commit, whose IDs lie between those of others. */
const COMPONENTS = 40

const store = await openCatalogStore({ folder: process.argv[2] })
for (let group = 0; ; group += 4) {
  const commits = [0, 1, 2, 3].map(async (offset) => {
    const number = group + offset
    const ids = Array.from({ length: COMPONENTS }, (_, at) => `${at}-${number}`)
    await store.commit([createOf(ids.map((id) => [id, ['s', 't']]))])
    process.stdout.write(`${number}\n`)
  })
  await Promise.all(commits)
}
