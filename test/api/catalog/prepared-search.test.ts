/** Names of components are read after a start, in the background, before anyone searches. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { caller, signIn } from '../../support/caller.ts'
import { type Service, startService } from '../../support/service.ts'
import { eventually } from '../../support/settle.ts'

/** A service whose walks over components are counted, and can be held. */
async function startCounting(t: TestContext) {
  const walks = { count: 0, held: Promise.resolve() }
  const service = await startService({
    wrapCatalog: (store) => {
      const { components } = store
      const walk = components.walk.bind(components)
      components.walk = async (query) => {
        if (query.after === undefined) walks.count += 1
        await walks.held
        return await walk(query)
      }
      return store
    },
  })
  t.after(() => service.close())
  const key = caller(service, `api_key=${service.feedKey}`)
  for (const id of ['a1', 'a2', 'b1']) {
    const put = await key('PUT', `/api/feed?compId=${id}&s=1`)
    assert.equal(put.status, 200, put.text)
  }
  return { service, walks }
}

async function search(service: Service, text: string): Promise<string[]> {
  const owner = caller(service, await signIn(service, service.ownerEmail, service.ownerPassword))
  const found = await owner('GET', `/api/component?search=${text}`)
  assert.equal(found.status, 200, found.text)
  return found.body.component.map(({ id }: { id: string }) => id)
}

test('the first search after a start finds names that were read before it', async (t) => {
  const { service, walks } = await startCounting(t)
  walks.count = 0
  await service.restart()
  await eventually(() => assert.equal(walks.count, 1))
  assert.deepEqual(await search(service, 'a'), ['a1', 'a2'])
  assert.equal(walks.count, 1)
})

test('a search waits for names that are being read, and other calls are answered', async (t) => {
  const { service, walks } = await startCounting(t)
  const { promise, resolve } = Promise.withResolvers<void>()
  walks.count = 0
  walks.held = promise
  await service.restart()
  await eventually(() => assert.equal(walks.count, 1))
  const searching = search(service, 'b')
  assert.equal((await fetch(`${service.url}/healthz`)).status, 200)
  resolve()
  assert.deepEqual(await searching, ['b1'])
  assert.equal(walks.count, 1)
})

test('a service that is stopped while names are read stops without a failure', async (t) => {
  const { service, walks } = await startCounting(t)
  const { promise, resolve } = Promise.withResolvers<void>()
  walks.count = 0
  walks.held = promise
  await service.restart()
  await eventually(() => assert.equal(walks.count, 1))
  const stopping = service.restart()
  resolve()
  await stopping
  assert.deepEqual(await search(service, 'b'), ['b1'])
  const warned = service.logLines.filter((line) => line.includes('could not load component names'))
  assert.deepEqual(warned, [])
})
