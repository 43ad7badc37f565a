/** Starts on a cluster that is not there, and starts that need none. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { startWeir } from '../../support/weir-command.ts'

const home = mkdtempSync(join(tmpdir(), 'weir-cluster-start-'))
after(() => rmSync(home, { recursive: true, force: true }))

/** A port on which nobody listens. */
async function closedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  return typeof address === 'object' && address !== null ? address.port : 0
}

test('a start waits for a cluster that is away, says so, and ends when it is told to', async () => {
  const port = await closedPort()
  const { child, done } = startWeir(join(home, 'one'), ['serve'], {
    ...{ WEIR_STORE: 'cassandra', WEIR_PORT: '0', WEIR_CASSANDRA_HOSTS: `127.0.0.1:${port}` },
    ...{ WEIR_CASSANDRA_USER: 'weir', WEIR_CASSANDRA_PASSWORD: 'not to be told' },
  })
  const waiting = `the start waits for Cassandra at 127.0.0.1:${port}`
  let said = ''
  while (!said.includes(waiting)) said += (await once(child.stdout ?? child, 'data'))[0]
  child.kill('SIGTERM')
  const { code, out, err } = await done
  assert.deepEqual([code, err], [0, ''])
  assert.match(out, /the start is given up/)
  assert.ok(!out.includes('not to be told'))
})

test('the driver of Cassandra is imported by its connection alone, and that only where it is asked for', () => {
  const sources = globSync('src/**/*.ts').filter((file) => !file.endsWith('.test.ts'))
  const importers = (pattern: RegExp) =>
    sources.filter((file) => pattern.test(readFileSync(file, 'utf8'))).sort()
  for (const file of importers(/^import (?!type)[^;'"]*?from 'cassandra-driver'/m)) {
    assert.ok(file.startsWith(join('src', 'store', 'cassandra', 'connection')), file)
  }
  const ofDoor = importers(/^import (?!type)(?:[^;'"]*?)from '[^']*store\/cassandra\/[^']*'/m)
  for (const file of ofDoor.filter((one) => !one.startsWith(join('src', 'store')))) {
    const importsIt = importers(
      new RegExp(`^import (?!type)[^;'"]*?from '\\./${file.slice(4)}'`, 'm'),
    )
    assert.deepEqual(importsIt, [], `${file} is imported at the start`)
  }
})
