/** A process that commits groups of documents for ever and prints the number of each made. */
import { openCatalogStore } from '../../src/store/embedded/index.ts'

const store = await openCatalogStore({ folder: process.argv[2] })
const put = (uid: string) => ({
  op: 'put' as const,
  orgUid: 'o',
  kind: 'unit',
  uid,
  claims: [`id:${uid}`],
  body: { uid },
  expectedRevision: 0,
})
for (let group = 0; ; group += 4) {
  const commits = [0, 1, 2, 3].map(async (offset) => {
    const number = group + offset
    await store.commit([put(`${number}-a`), put(`${number}-b`), put(`${number}-c`)])
    process.stdout.write(`${number}\n`)
  })
  await Promise.all(commits)
}
