import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { openCatalogStore } from '../../../src/store/embedded/index.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

/** Runs a writer until it has acknowledged so many commits, and kills it; answers the numbers of those. */
async function killAfter(commits: number, writer: string, folder: string): Promise<number[]> {
  const script = fileURLToPath(new URL(`../../support/${writer}`, import.meta.url))
  const child = spawn(process.execPath, [script, folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const acknowledged: number[] = []
  const exited = once(child, 'exit')
  for await (const line of createInterface({ input: child.stdout })) {
    acknowledged.push(Number(line))
    if (acknowledged.length === commits) child.kill('SIGKILL')
  }
  await exited
  return acknowledged
}

test('every commit acknowledged before a kill -9 is there, and every other whole or not at all', async () => {
  const folder = temporaryFolder()
  const acknowledged = await killAfter(101, 'catalog-child.ts', folder)
  const store = await openCatalogStore({ folder })
  const found = new Set<string>()
  await store.scanIndex(['stream'], { onRow: ({ uid }) => found.add(uid) })
  for (const number of acknowledged) {
    for (const part of ['a', 'b', 'c']) {
      const uid = `${number}-${part}`
      assert.ok(found.has(uid), `${uid} is lost`)
      assert.equal((await store.findByClaim('o', `id:${uid}`))?.body.uid, uid)
    }
  }
  assert.equal(found.size % 3, 0)
  const { totalCount } = await store.list({ orgUid: 'o', kind: 'stream', start: 0, limit: 1 })
  assert.equal(totalCount, found.size)
  await store.close()
})

test('fleets acknowledged before a kill -9 are whole in claims and lists, every other whole or not at all', async () => {
  const folder = temporaryFolder()
  const acknowledged = await killAfter(61, 'catalog-fleet-child.ts', folder)
  const told: string[] = []
  const store = await openCatalogStore({ folder, onDamage: (what) => told.push(what) })
  const { documents, totalCount } = await store.list({
    orgUid: 'org',
    kind: 'component',
    start: 0,
    limit: 1_000_000,
  })
  assert.equal(documents.length, totalCount)
  assert.equal(totalCount % 40, 0)
  const listed = new Set(documents.map(({ body }) => body.id))
  for (const number of acknowledged) {
    for (let at = 0; at < 40; at++) assert.ok(listed.has(`${at}-${number}`), `${at}-${number}`)
    const id = `7-${number}`
    assert.equal((await store.findByClaim('org', `component_id:${id}`))?.body.id, id)
  }
  assert.deepEqual(told, [])
  await store.close()
})
