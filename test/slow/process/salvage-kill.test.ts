/** kill -9 while the rows of samples.db are written again: the next start has all that there was. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { type EmbeddedSampleStore, openSampleStore } from '../../../src/store/embedded/index.ts'
import { flipBit, listPages } from '../../support/flip-page.ts'
import { batch, read } from '../../support/samples.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const CHILD = fileURLToPath(new URL('../../support/salvage-child.ts', import.meta.url))
const STREAMS = Array.from({ length: 400 }, (_, index) => index + 1)
const SEALS = 4

let template: string

before(async () => {
  template = mkdtempSync(join(tmpdir(), 'weir-salvage-kill-'))
  const store = await openSampleStore({ folder: template })
  for (let seal = 0; seal < SEALS; seal += 1) {
    for (let at = 0; at < 10; at += 1) {
      await store.append(batch(STREAMS.map((one) => [one, seal * 10 + at, one + at / 7] as const)))
    }
    await store.sealAll()
  }
  await store.close()
  const file = join(template, 'samples.db')
  // The page that keeps the last id: a seal has to write the rows again, and none is lost.
  const [page] = listPages(file, ['sqlite_sequence'])
  for (let byte = 0; byte < 8; byte += 1) flipBit(file, page.offset + byte, 7)
})

after(() => rmSync(template, { recursive: true }))

async function contents(store: EmbeddedSampleStore): Promise<unknown[]> {
  return await Promise.all(STREAMS.map((one) => read(store, one)))
}

for (const [kind, count] of [
  ['row', 1],
  ['row', 3],
  ['row', 6],
  ['lost', 1],
  ['end', 0],
] as const) {
  test(`a salvage killed at ${kind} ${count} loses nothing, and the next seal goes on`, async (context) => {
    const folder = temporaryFolder()
    cpSync(template, folder, { recursive: true })
    const file = join(folder, 'samples.db')
    const { signal, stderr } = spawnSync(process.execPath, [CHILD, file, kind, String(count)])
    assert.equal(signal, 'SIGKILL', String(stderr))
    const expected = STREAMS.map((one) =>
      Array.from({ length: SEALS * 10 }, (_, time) => [time, one + (time % 10) / 7]),
    )
    const store = await openSampleStore({ folder })
    context.after(() => store.close())
    assert.deepEqual(await contents(store), expected)
    await store.append(batch(STREAMS.map((one) => [one, 1_000, -one] as const)))
    await store.sealAll()
    const after = expected.map((samples, at) => [...samples, [1_000, -STREAMS[at]]])
    assert.deepEqual(await contents(store), after)
    await store.close()
    const again = await openSampleStore({ folder })
    context.after(() => again.close())
    assert.deepEqual(await contents(again), after)
    assert.deepEqual(await scrub(again), [])
  })
}

async function scrub(store: EmbeddedSampleStore): Promise<string[]> {
  const found: string[] = []
  const onDamage = ({ what }: { what: string }) => found.push(what)
  await store.scrub({ mayGoOn: async () => true, onChecked: () => {}, onDamage })
  return found
}
