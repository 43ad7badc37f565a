/** The service on a cluster: two processes on one cluster, as people run them. */

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { ClusterPlace } from '../../../src/assembly/open-cluster-stores.ts'
import { type ChildService, startChildServices } from '../../support/child-service.ts'
import { callApi, getJson, putFile } from '../../support/file-client.ts'
import { SERVICE_FILE } from '../../support/program.ts'
import { eventually } from '../../support/settle.ts'
import { sharedProcess } from '../../support/shared-process.ts'
import {
  clusterServiceSettings,
  clusterSkip,
  dropTestCluster,
  testClusterPlace,
} from '../../support/test-cluster.ts'
import { runWeirWith } from '../../support/weir-command.ts'

const skip = clusterSkip()
const feedKey = 'a-feed-key-of-the-cluster'
const T0 = 1_767_225_600_000

let place: ClusterPlace
let home: string
let services: ChildService[] = []

function settingsOf(place: ClusterPlace): Record<string, string> {
  return {
    ...clusterServiceSettings(place),
    WEIR_OWNER_PASSWORD: 'correct horse battery',
    WEIR_FEED_KEY: feedKey,
    WEIR_RATE_LIMITS: 'off',
    WEIR_KEY_FILE: join(home, 'shared.key'),
  }
}

/** Both at once, each with a folder of its own. */
async function startBoth(): Promise<void> {
  const settings = settingsOf(place)
  services = await startChildServices([join(home, 'one'), join(home, 'other')], settings)
}

function targets() {
  const [one, other] = services.map(({ url }) => ({ url, feedKey }))
  return { one, other }
}

/** The answer of a GET once it is as wanted. */
async function until<T>(read: () => Promise<T>, isWanted: (value: T) => boolean): Promise<T> {
  return await eventually(async () => {
    const value = await read()
    assert.ok(isWanted(value), 'not as wanted')
    return value
  })
}

function cases(): void {
  before(async () => {
    home = mkdtempSync(join(tmpdir(), 'weir-cluster-'))
    writeFileSync(join(home, 'shared.key'), `${'ab'.repeat(32)}\n`)
    place = await testClusterPlace('service')
    await startBoth()
  })
  after(async () => {
    for (const service of services) await service.kill()
    rmSync(home, { recursive: true, force: true })
    await dropTestCluster(place)
  })

  test('two processes that start first at once make one organization', async () => {
    const { one, other } = targets()
    const login = { email: 'owner@localhost', password: 'correct horse battery' }
    const seen = []
    for (const { url } of [one, other]) {
      const headers = { 'Content-Type': 'application/json' }
      const body = JSON.stringify(login)
      const answer = await fetch(`${url}/api/login`, { method: 'POST', headers, body })
      assert.equal(answer.status, 200)
      const { sessionUid } = (await answer.json()) as { sessionUid: string }
      const list = await fetch(`${url}/api/organization`, {
        headers: { Cookie: `session=${sessionUid}` },
      })
      seen.push(await list.json())
    }
    assert.deepEqual(seen[0], seen[1])
    // A busy node of Cassandra may answer too late for a moment.
    await eventually(async () => {
      const ready = await fetch(`${other.url}/readyz`)
      assert.equal(ready.status, 200)
      const { details } = (await ready.json()) as { details?: string[] }
      assert.match(String(details), /PostgreSQL has no synchronous standby/)
    })
  })

  test('what is put through one process is read through the other', async () => {
    const { one, other } = targets()
    const samples = Array.from({ length: 48 }, (_, hour) => ({
      compId: 'boiler',
      streamId: 'power',
      time: T0 + hour * 3_600_000,
      data: hour,
    }))
    const put = await callApi(one, '/feed?', { method: 'PUT', body: JSON.stringify(samples) })
    assert.equal(put.status, 200, await put.text())
    const path = '/comp/boiler/stream/power/feed?c=100'
    const isThere = (value: unknown) => Array.isArray(value) && value.length === samples.length
    const read = await until(() => getJson(other, path), isThere)
    assert.deepEqual(read, samples.map(({ time, data }) => ({ time, data })).reverse())
    // Of a stream that both know a read sees a put at once.
    const more = await callApi(other, `/feed?compId=boiler&power=99&time=${T0 + 1}`, {
      method: 'PUT',
    })
    assert.equal(more.status, 200, await more.text())
    const after = (await getJson(one, path)) as unknown[]
    assert.equal(after.length, samples.length + 1)
  })

  test('of samples without times that come through both at once every one is there', async () => {
    const { one, other } = targets()
    const values = Array.from({ length: 400 }, (_, at) => at)
    for (let from = 0; from < values.length; from += 40) {
      const puts = values.slice(from, from + 40).map(async (value) => {
        const target = value % 2 === 0 ? one : other
        const put = await callApi(target, `/feed?compId=boiler&rush=${value}`, { method: 'PUT' })
        assert.equal(put.status, 200, await put.text())
      })
      await Promise.all(puts)
    }
    for (const target of [one, other]) {
      const path = '/comp/boiler/stream/rush/feed?c=1000'
      const read = (await getJson(target, path)) as { time: number; data: number }[]
      assert.deepEqual(new Set(read.map(({ data }) => data)), new Set(values))
    }
  })

  test('statistics and files are the same through both', async () => {
    const { one, other } = targets()
    const statistic = `/comp/boiler/stream/power/cycle/day/stat/max/feed?e=${T0 + 2 * 86_400_000}`
    const reply = (await getJson(one, statistic)) as { data: number }[]
    assert.deepEqual(await getJson(other, statistic), reply)
    assert.deepEqual([reply[0].data, reply[1].data], [47, 99])
    const body = new Uint8Array(700_000).map((_, at) => at % 251)
    await putFile(one, '/comp/boiler/stream/photo/feed/file/p.bin', body)
    const photo = '/comp/boiler/stream/photo/feed/file/p.bin'
    const got = await until(
      async () => await callApi(other, photo),
      ({ status }) => status === 200,
    )
    assert.deepEqual(new Uint8Array(await got.arrayBuffer()), body)
  })

  test('all is there after both were stopped and started again', async () => {
    assert.deepEqual(await Promise.all(services.map((service) => service.stop())), [0, 0])
    await startBoth()
    const { one, other } = targets()
    for (const service of [one, other]) {
      const read = await getJson(service, '/comp/boiler/stream/power/feed?c=100')
      assert.equal((read as unknown[]).length, 49)
    }
  })

  test('backups and folders are left to the cluster’s own tools', async () => {
    const [dataDir, settings] = [join(home, 'one'), settingsOf(place)]
    const given = { ...settings, WEIR_DATA_DIR: dataDir }
    const run = (...words: string[]) => runWeirWith(given, ...words)
    const backup = await run('backup', join(home, 'backup'))
    assert.equal(backup.code, 1)
    assert.match(backup.err, /stored in PostgreSQL and Cassandra. Back it up there/)
    assert.match((await run('folder', 'accept-loss')).err, /not in the data folder/)
    // Answered by the process that runs on the folder, and by the cluster where none does.
    assert.match((await run('org', 'list')).out, /My organization/)
    await services[0].stop()
    assert.match((await run('org', 'list')).out, /My organization/)
  })

  test('settings that the cluster refuses end the start with what is wrong', async () => {
    const start = (settings: Record<string, string>) => {
      const given = { ...settings, WEIR_DATA_DIR: join(home, 'wrong') }
      return sharedProcess.run({ main: SERVICE_FILE, words: [], settings: given })
    }
    const check = async (more: Record<string, string>, expected: RegExp) => {
      const { code, err } = await start({ ...settingsOf(place), ...more })
      assert.match(err, expected)
      assert.equal(code, 78)
    }
    await check({ WEIR_CASSANDRA_DATACENTER: 'mars' }, /data centre "mars".*it has datacenter1/)
    const fresh = { WEIR_CASSANDRA_KEYSPACE: `${place.cassandra.keyspace}_b` }
    const tooMany = { ...fresh, WEIR_CASSANDRA_REPLICATION: '7' }
    await check(tooMany, /7 copies in the data centre "datacenter1": it has \d nodes?/)
    const elsewhere = await testClusterPlace('elsewhere')
    const mixed = { WEIR_POSTGRES_URL: elsewhere.postgresUrl }
    await check(mixed, /belongs to a different PostgreSQL database than WEIR_POSTGRES_URL/)
    const noDatabase = { WEIR_POSTGRES_URL: place.postgresUrl.replace('/weir?', '/nothing?') }
    await check(noDatabase, /PostgreSQL refuses Weir: database "nothing" does not exist/)
    await check({ WEIR_STORE: 'cassandra' }, /Set WEIR_STORE=cluster and WEIR_POSTGRES_URL/)
    const keyFile = join(home, 'other.key')
    writeFileSync(keyFile, `${'cd'.repeat(32)}\n`)
    const said =
      /other\.key differs from the key that encrypts secrets.*secret\.key of another process.*WEIR_KEY_FILE/
    await check({ WEIR_KEY_FILE: keyFile }, said)
    const { WEIR_CASSANDRA_HOSTS: _, ...without } = settingsOf(place)
    const { code, err } = await start(without)
    assert.equal(code, 78)
    assert.match(err, /WEIR_CASSANDRA_HOSTS must be set when WEIR_STORE is cluster/)
  })
}

if (skip === false) cases()
else test('the service on a cluster', { skip }, () => {})
