/** Starts on a cluster that is not there, and starts that need none. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { startWeir } from '../../support/weir-command.ts'

const home = temporaryFolder()

/** A port on which nobody listens. */
async function closedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  return typeof address === 'object' && address !== null ? address.port : 0
}

test('a start waits for an unavailable cluster, logs that, and ends on a signal', async () => {
  const port = await closedPort()
  const { child, done } = startWeir(join(home, 'one'), ['serve'], {
    WEIR_STORE: 'cluster',
    WEIR_PORT: '0',
    WEIR_POSTGRES_URL: `postgres://weir:not-to-be-told@127.0.0.1:${port}/weir`,
    WEIR_CASSANDRA_HOSTS: `127.0.0.1:${port}`,
  })
  const waiting = `startup waits for PostgreSQL: connect ECONNREFUSED 127.0.0.1:${port}`
  let said = ''
  while (!said.includes(waiting)) said += (await once(child.stdout ?? child, 'data'))[0]
  child.kill('SIGTERM')
  const { code, out, err } = await done
  assert.deepEqual([code, err], [0, ''])
  assert.match(out, /startup canceled/)
  assert.ok(!out.includes('not-to-be-told'))
})

/** All files that are loaded together with some, as far as imports stand at their top. */
function loadedWith(roots: readonly string[]): Set<string> {
  const loaded = new Set(roots)
  for (const file of loaded) {
    const text = readFileSync(file, 'utf8')
    for (const [, from] of text.matchAll(/^(?:import|export) (?!type )[^'"]*?from '(\.[^']+)'/gm)) {
      loaded.add(join(dirname(file), from))
    }
  }
  return loaded
}

test('the adapters of a cluster are loaded only where one is asked for', () => {
  const roots = ['main.ts', 'serve.ts', 'app.ts', 'weir.ts'].map((name) => join('src', name))
  const loaded = [...loadedWith(roots)]
  assert.ok(loaded.includes(join('src', 'assembly', 'open-folder-storage.ts')))
  assert.deepEqual(
    loaded.filter((file) => /src.store.(cassandra|postgres)/.test(file)),
    [],
  )
  const cluster = loadedWith([join('src', 'assembly', 'open-cluster-storage.ts')])
  assert.ok(cluster.has(join('src', 'store', 'cassandra', 'connection', 'connect-client.ts')))
})
