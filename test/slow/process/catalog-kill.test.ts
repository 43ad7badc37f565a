import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { openCatalogStore } from '../../../src/store/embedded/index.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

/** Runs a writer until it has acknowledged `commits` commits, then kills it. Returns the lines that it printed. */
async function killAfter(commits: number, writer: string, ...words: string[]): Promise<string[]> {
  const script = fileURLToPath(new URL(`../../support/${writer}`, import.meta.url))
  const child = spawn(process.execPath, [script, ...words], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const acknowledged: string[] = []
  const exited = once(child, 'exit')
  for await (const line of createInterface({ input: child.stdout })) {
    acknowledged.push(line)
    if (acknowledged.length === commits) child.kill('SIGKILL')
  }
  await exited
  return acknowledged
}

test('every commit acknowledged before a kill -9 is there, and every other whole or not at all', async () => {
  const folder = temporaryFolder()
  const acknowledged = (await killAfter(101, 'catalog-child.ts', folder)).map(Number)
  const store = await openCatalogStore({ folder })
  const query = { orgUid: 'o', kind: 'unit', start: 0, limit: 1_000_000 }
  const { documents, totalCount } = await store.list(query)
  const found = new Set(documents.map(({ uid }) => uid))
  for (const number of acknowledged) {
    for (const part of ['a', 'b', 'c']) {
      const uid = `${number}-${part}`
      assert.ok(found.has(uid), `${uid} is lost`)
      assert.equal((await store.findByClaim('o', `id:${uid}`))?.body.uid, uid)
    }
  }
  assert.equal(found.size % 3, 0)
  assert.equal(totalCount, found.size)
  await store.close()
})

test('components created before a kill -9 are whole in IDs, lists and streams, every other whole or not at all', async () => {
  const folder = temporaryFolder()
  const acknowledged = (await killAfter(61, 'catalog-create-child.ts', folder)).map(Number)
  const output: string[] = []
  const store = await openCatalogStore({ folder, onDamage: (what) => output.push(what) })
  const reads = store.components
  const query = { orgUid: 'org', start: 0, limit: 1_000_000 }
  const { components, totalCount } = await reads.list(query)
  assert.equal(components.length, totalCount)
  assert.equal(totalCount % 40, 0)
  const listed = new Set(components.map(({ id }) => id))
  for (const number of acknowledged) {
    for (let at = 0; at < 40; at++) assert.ok(listed.has(`${at}-${number}`), `${at}-${number}`)
    const id = `7-${number}`
    const component = await reads.findById('org', id)
    assert.equal(component?.id, id)
    const streams = await reads.streamsOf('org', component?.uid ?? '', { start: 0, limit: 9 })
    assert.deepEqual(
      streams.map((stream) => stream.id),
      ['s', 't'],
    )
  }
  const usage = await store.usage('org')
  const counts = Object.fromEntries(usage.map(({ kind, documents }) => [kind, documents]))
  assert.deepEqual(counts, { component: totalCount, stream: 2 * totalCount })
  assert.deepEqual(output, [])
  await store.close()
})

test('components that were changed and deleted before kills -9 are whole, and no handle is given twice', async () => {
  const folder = temporaryFolder()
  const handles = new Set<number>()
  const kept = new Set<number>()
  let last = 0
  for (let kill = 0; kill < 4; kill++) {
    const first = Math.ceil((last + 1_000) / 1_000) * 1_000
    const lines = await killAfter(20 + 7 * kill, 'catalog-change-child.ts', folder, `${first}`)
    for (const line of lines) {
      const [number, ...given] = line.split(' ').map(Number)
      last = Math.max(last, number)
      if (number % 2 === 1) kept.add(number)
      for (const handle of given) {
        assert.ok(!handles.has(handle), `handle ${handle} is given twice`)
        handles.add(handle)
      }
    }
  }
  const output: string[] = []
  const store = await openCatalogStore({ folder, onDamage: (what) => output.push(what) })
  const reads = store.components
  const { components } = await reads.list({ orgUid: 'org', start: 0, limit: 1_000_000 })
  let streamCount = 0
  for (const { uid, id, revision, addressedAs } of components) {
    const [state, number] = id.split('-')
    const isChanged = state === 'changed'
    const streams = await reads.streamsOf('org', uid, { start: 0, limit: 9 })
    streamCount += streams.length
    assert.deepEqual(
      streams.map((stream) => stream.id).sort(),
      isChanged ? ['own', 's', 't'] : ['s', 't'],
    )
    assert.deepEqual(
      [revision, addressedAs],
      isChanged ? [2, [`y:${number}`]] : [1, [`x:${number}`]],
    )
    assert.equal((await reads.findAddressed('org', [addressedAs[0]]))[0]?.uid, uid)
    assert.equal((await reads.findSeries('org', [{ number }]))[0]?.componentUid, uid)
    if (isChanged) kept.delete(Number(number))
  }
  assert.deepEqual(kept, new Set(), 'some that were acknowledged are gone')
  const usage = await store.usage('org')
  const counts = Object.fromEntries(usage.map(({ kind, documents }) => [kind, documents]))
  assert.deepEqual(counts, { component: components.length, stream: streamCount })
  assert.deepEqual(output, [])
  await store.close()
})
