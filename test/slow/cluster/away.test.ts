import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { after, before, type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { Refusal } from '../../../src/base/index.ts'
import { Cluster, reserveHandles } from '../../../src/store/cassandra/index.ts'
import { cassandraSkip, openTestKeyspace, type TestKeyspace } from '../../support/cassandra.ts'
import { type ClusterProxy, startClusterProxy } from '../../support/cluster-proxy.ts'
import { eventually, settlesTo } from '../../support/settle.ts'

const skip = cassandraSkip()
let keyspace: TestKeyspace
let proxy: ClusterProxy
let cluster: Cluster

function isAway(error: unknown): boolean {
  return error instanceof Refusal && error.code === 'store_away' && error.retryAfterSeconds === 5
}

function awayCases(): void {
  test('a start waits for a cluster that is away, and says for what', async () => {
    const { port } = proxy
    proxy.cut()
    const said = Promise.withResolvers<string>()
    const opening = Cluster.open({ ...keyspace.settings, port }, { onWaiting: said.resolve })
    assert.match(await said.promise, new RegExp(`waits for Cassandra at 127\\.0\\.0\\.1:${port}`))
    await proxy.repair()
    cluster = await opening
  })

  test('a start that waits can be called off', async () => {
    const stop = new AbortController()
    const settings = { ...keyspace.settings, port: 1 }
    const watch = { onWaiting: () => stop.abort(), signal: stop.signal }
    await assert.rejects(Cluster.open(settings, watch), { name: 'AbortError' })
  })

  test('while the cluster is away calls are refused with 503, and go on by themselves', async () => {
    const read = () => cluster.run(`SELECT value FROM meta WHERE name = 'last_handle'`)
    const first = await reserveHandles(cluster, 10, 0)
    proxy.cut()
    await assert.rejects(read(), isAway)
    await assert.rejects(reserveHandles(cluster, 10, 0), isAway)
    await proxy.repair()
    await eventually(read)
    // What was refused may have been made: its handles are given to nobody.
    const next = await eventually(() => reserveHandles(cluster, 10, 0))
    assert.ok(next >= first + 10, `${first} ${next}`)
  })
}

/** A process of test/support/cluster-child.ts that is connected by the way that is cut. */
async function startChild(
  t: TestContext,
): Promise<{ child: ChildProcess; asks(): Promise<string> }> {
  const script = fileURLToPath(new URL('../../support/cluster-child.ts', import.meta.url))
  const settings = JSON.stringify({ ...keyspace.settings, port: proxy.port })
  const child = spawn(process.execPath, [script, settings], { stdio: ['pipe', 'pipe', 'inherit'] })
  t.after(() => child.kill('SIGKILL'))
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const says = async () => String((await lines.next()).value)
  const asks = () => {
    assert.equal(child.exitCode, null, 'the child lives')
    child.stdin.write('ask\n')
    return says()
  }
  assert.equal(await says(), 'open')
  return { child, asks }
}

async function endOf({ child }: { readonly child: ChildProcess }): Promise<unknown> {
  const gone = once(child, 'exit')
  child.stdin?.end()
  const [code] = await gone
  return code
}

function endCases(): void {
  test('close() ends all that the driver has open, after outages and amid one', async (t) => {
    const children = await Promise.all([startChild(t), startChild(t)])
    // More than once: what is left behind by one outage meets the next.
    for (let outages = 0; outages < 3; outages++) {
      proxy.cut()
      for (const { asks } of children) await settlesTo(asks, 'store_away')
      await proxy.repair()
      for (const { asks } of children) await settlesTo(asks, 'answered')
    }
    assert.equal(await endOf(children[0]), 0)
    proxy.cut()
    assert.equal(await endOf(children[1]), 0)
  })
}

if (skip !== false) test('a cluster of Cassandra that is away', { skip }, () => {})
else {
  before(async () => {
    keyspace = await openTestKeyspace('away', [])
    proxy = await startClusterProxy(keyspace.settings.port)
  })
  after(async () => {
    await cluster?.close()
    await keyspace?.dispose()
    proxy?.close()
  })
  awayCases()
  endCases()
}
