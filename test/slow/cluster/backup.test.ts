/**
 * Backup and restore of a cluster in the order of docs/cluster.md, with pg_dump, pg_restore, and nodetool: of one node in
 * every run, and of three with three copies in `npm run test:nightly`.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { copyFileSync, cpSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { caller, signIn } from '../../support/caller.ts'
import {
  type CassandraNodes,
  freeClusterPort,
  startCassandraNodes,
  TEST_HOSTS,
} from '../../support/cassandra-nodes.ts'
import { callApi, type FileTarget, getJson, putFile } from '../../support/file-client.ts'
import { runNodetool } from '../../support/nodetool.ts'
import { urlOf } from '../../support/postgres-home.ts'
import {
  findPostgresql,
  type PostgresqlServer,
  startPostgresql,
} from '../../support/postgresql-server.ts'
import { startServiceOn } from '../../support/service-on.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { clusterServiceSettings, clusterSkip } from '../../support/test-cluster.ts'

const skip = clusterSkip()
const run = promisify(execFile)
const HOSTS = TEST_HOSTS
const KEYSPACE = 'weir'
const TAG = 'backup'
const PASSWORD = 'correct horse battery'
const FEED_KEY = 'a-feed-key-of-the-backup'
const BODY = new Uint8Array(600_000).map((_, at) => (at * 7_919) >> 3)
/** As many as one call reads. */
const SAMPLES = 1_000
const DEVICES = 40

/** The servers of a cluster, and the folder of its backups. */
interface World {
  readonly nodes: CassandraNodes
  readonly jmxPorts: readonly number[]
  readonly postgres: PostgresqlServer
  readonly folder: string
}

async function openWorld(opened: AsyncDisposableStack): Promise<World> {
  const folder = temporaryFolder()
  const jmxPorts: number[] = []
  for (const _ of HOSTS) jmxPorts.push(await freeClusterPort())
  const postgres = await startPostgresql()
  opened.defer(() => postgres.stop())
  await postgres.ask('CREATE SCHEMA weir')
  const nodes = await startCassandraNodes(folder, { count: HOSTS.length, jmxPorts })
  opened.defer(() => nodes.stop())
  return { nodes, jmxPorts, postgres, folder }
}

/** Starts a process with a new data folder that has nothing but the backup of the key, works, and stops it. */
async function withProcess<T>(
  { nodes, postgres, folder }: World,
  work: (target: FileTarget) => Promise<T>,
): Promise<T> {
  const dataDir = temporaryFolder()
  const backedUp = join(folder, 'secret.key')
  const own = join(dataDir, 'secret.key')
  const isFirst = !readdirSync(folder).includes('secret.key')
  if (!isFirst) copyFileSync(backedUp, own)
  const cassandra = {
    hosts: HOSTS,
    port: nodes.port,
    dataCentre: 'datacenter1',
    keyspace: KEYSPACE,
    replication: HOSTS.length,
  }
  const place = { cassandra, postgresUrl: urlOf(postgres.port, 'weir') }
  const first = { WEIR_FEED_KEY: FEED_KEY, WEIR_OWNER_PASSWORD: PASSWORD }
  const settings = { ...clusterServiceSettings(place), ...first }
  const service = await startServiceOn(dataDir, settings)
  try {
    return await work({ url: service.url, feedKey: FEED_KEY })
  } finally {
    await service.close()
    if (isFirst) copyFileSync(own, backedUp)
  }
}

async function dump({ postgres, folder }: World, name: string): Promise<void> {
  const url = `postgres://weir:the-password@127.0.0.1:${postgres.port}/weir`
  await run(program('pg_dump'), ['--format=custom', `--file=${join(folder, name)}`, url])
}

async function restorePostgres({ postgres, folder }: World, name: string): Promise<void> {
  await postgres.empty()
  const url = `postgres://weir:the-password@127.0.0.1:${postgres.port}/weir`
  await run(program('pg_restore'), ['--exit-on-error', `--dbname=${url}`, join(folder, name)])
}

function program(name: string): string {
  return join(findPostgresql() ?? '', name)
}

const tablesOf = ({ folder }: World, node: number) =>
  join(folder, `node${node + 1}`, 'data', KEYSPACE)
const copyOf = ({ folder }: World, node: number) => join(folder, `copy${node + 1}`)

async function snapshot(world: World): Promise<void> {
  for (const [node, port] of world.jmxPorts.entries()) {
    await runNodetool(port, world.folder, ['snapshot', '--tag', TAG, KEYSPACE])
    for (const table of readdirSync(tablesOf(world, node))) {
      const from = join(tablesOf(world, node), table, 'snapshots', TAG)
      cpSync(from, join(copyOf(world, node), table), { recursive: true })
    }
    await runNodetool(port, world.folder, ['clearsnapshot', '-t', TAG, '--', KEYSPACE])
  }
}

async function restoreCassandra(world: World): Promise<void> {
  const { nodes, folder, jmxPorts } = world
  await Promise.all([...jmxPorts.keys()].map((node) => nodes.kill(node)))
  for (const node of jmxPorts.keys()) {
    for (const name of ['commitlog', 'hints', 'saved_caches'])
      rmSync(join(folder, `node${node + 1}`, name), { recursive: true, force: true })
    const tables = tablesOf(world, node)
    for (const table of readdirSync(tables)) {
      rmSync(join(tables, table), { recursive: true })
      mkdirSync(join(tables, table))
      cpSync(join(copyOf(world, node), table), join(tables, table), { recursive: true })
    }
  }
  await Promise.all([...jmxPorts.keys()].map((node) => nodes.restart(node)))
  for (const port of jmxPorts) await runNodetool(port, folder, ['repair', KEYSPACE])
}

interface Sample {
  readonly compId: string
  readonly streamId: string
  readonly time: number
  readonly data: number
}

async function put(target: FileTarget, samples: readonly Sample[]): Promise<void> {
  const answer = await callApi(target, '/feed', { method: 'PUT', body: JSON.stringify(samples) })
  assert.equal(answer.status, 200, await answer.text())
}

/** Samples of one stream, at each second, whose values identify their writer. */
function samplesOf(compId: string, count: number, value: number): Sample[] {
  return Array.from({ length: count }, (_, at) => ({
    compId,
    streamId: 'v',
    time: at * 1_000,
    data: value + at,
  }))
}

async function readValues(target: FileTarget, compId: string): Promise<number[]> {
  const path = `/comp/${compId}/stream/v/feed?c=1000`
  const read = (await getJson(target, path)) as { data: number }[]
  return read.map(({ data }) => data).sort((a, b) => a - b)
}

const valuesOf = (...samples: readonly (readonly Sample[])[]) =>
  samples
    .flat()
    .map(({ data }) => data)
    .sort((a, b) => a - b)

const device = (kind: string, at: number) => samplesOf(`${kind}${at}`, 3, 1_000 * (at + 1))
const devicesOf = (kind: string) =>
  Array.from({ length: DEVICES }, (_, at) => device(kind, at)).flat()

test('a restored cluster has what was acknowledged before the backup, and nothing later', {
  skip,
}, async () => {
  await using opened = new AsyncDisposableStack()
  const world = await openWorld(opened)
  const old = samplesOf('old', SAMPLES, 0)
  const overwritten = samplesOf('old', 200, -10_000)
  const rest = old.slice(200)
  await withProcess(world, async (target) => {
    await put(target, old)
    await put(target, devicesOf('first'))
    await putFile(target, '/comp/old/stream/file/feed/file/a.bin?time=5', BODY)
  })
  await dump(world, 'early.dump')
  // One put for each sample, so that some rows are not merged in the snapshot.
  await withProcess(world, async (target) => {
    for (const sample of overwritten) await put(target, [sample])
    await put(target, devicesOf('second'))
  })
  await dump(world, 'late.dump')
  await snapshot(world)
  const change = async (target: FileTarget) => {
    await put(target, samplesOf('old', 300, 50_000))
    await put(target, devicesOf('third'))
    const owner = caller(target, await signIn(target, 'owner@localhost', PASSWORD))
    const gone = await owner('DELETE', '/api/comp/old/stream/v/feed?sd=500000&ed=700000')
    assert.equal(gone.status, 200, gone.text)
  }
  await withProcess(world, change)

  await restorePostgres(world, 'late.dump')
  await restoreCassandra(world)
  await withProcess(world, async (target) => {
    assert.deepEqual(await readValues(target, 'old'), valuesOf(overwritten, rest))
    for (const kind of ['first', 'second'])
      for (let at = 0; at < DEVICES; at += 1)
        assert.deepEqual(await readValues(target, `${kind}${at}`), valuesOf(device(kind, at)))
    const unknown = await callApi(target, '/comp/third0/stream/v/feed')
    assert.equal(unknown.status, 404)
    const file = await callApi(target, '/comp/old/stream/file/feed/file/a.bin?time=5')
    assert.deepEqual(new Uint8Array(await file.arrayBuffer()), BODY)
    await change(target)
    assert.equal((await readValues(target, 'old')).includes(50_000), true)
  })

  // PostgreSQL is older than Cassandra: the devices of the second start are unknown.
  await restorePostgres(world, 'early.dump')
  await restoreCassandra(world)
  await withProcess(world, async (target) => {
    assert.deepEqual(await readValues(target, 'old'), valuesOf(overwritten, rest))
    assert.equal((await callApi(target, '/comp/second0/stream/v/feed')).status, 404)
    const later = samplesOf('old', 10, 70_000)
    await put(target, later)
    assert.deepEqual(
      await readValues(target, 'old'),
      valuesOf(overwritten.slice(10), rest, later),
      'a put after the restore lost against one before it',
    )
    // Devices of the second start have three samples each. These have one, unless they got the handle of another stream.
    const fresh = Array.from({ length: 3 * DEVICES }, (_, at) => samplesOf(`new${at}`, 1, -at - 1))
    await put(target, fresh.flat())
    for (const own of fresh)
      assert.deepEqual(await readValues(target, own[0].compId), valuesOf(own))
    for (let at = 0; at < DEVICES; at += 1)
      assert.deepEqual(await readValues(target, `first${at}`), valuesOf(device('first', at)))
  })
})
