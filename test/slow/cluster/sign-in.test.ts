/**
 * A cluster that requires a password, TLS, and a client certificate, and that checks the permissions of a role. One node
 * is enough: the tests are about one connection.
 */
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { clusterSettingsOf } from '../../../src/assembly/app-settings.ts'
import { readConfig } from '../../../src/base/index.ts'
import { makeKeyspace } from '../../../src/store/cassandra/connection/make-keyspace.ts'
import { Cluster } from '../../../src/store/cassandra/index.ts'
import { StoreUnusable } from '../../../src/store/index.ts'
import { caller } from '../../support/caller.ts'
import { type CassandraNodes, startCassandraNodes } from '../../support/cassandra-nodes.ts'
import { putFile } from '../../support/file-client.ts'
import { makePostgresHome, type PostgresHome, urlOf } from '../../support/postgres-home.ts'
import { startServiceOn } from '../../support/service-on.ts'
import { eventually } from '../../support/settle.ts'
import { clusterSkip } from '../../support/test-cluster.ts'
import { startWeir } from '../../support/weir-command.ts'

const skip = clusterSkip()
const FEED_KEY = 'a-feed-key-of-the-roles'
/** For localhost and 127.0.0.1, by itself: the node's, its authority's and that of its clients. */
const certificate = fixture('localhost-cert.pem')
const key = fixture('localhost-key.pem')

let home: string
let node: CassandraNodes
let postgres: PostgresHome
let postgresUrl: string

function fixture(name: string): string {
  return fileURLToPath(new URL(`../../fixtures/${name}`, import.meta.url))
}

/** The settings of a process that may sign in, with these replaced. */
function settingsWith(others: Readonly<Record<string, string>> = {}): Record<string, string> {
  return {
    WEIR_STORE: 'cluster',
    WEIR_POSTGRES_URL: postgresUrl,
    WEIR_CASSANDRA_HOSTS: `127.0.0.1:${node.port}`,
    WEIR_CASSANDRA_REPLICATION: '1',
    WEIR_CASSANDRA_USER: 'cassandra',
    WEIR_CASSANDRA_PASSWORD: 'cassandra',
    WEIR_CASSANDRA_TLS: 'on',
    WEIR_CASSANDRA_TLS_CA: certificate,
    WEIR_CASSANDRA_TLS_CERT: certificate,
    WEIR_CASSANDRA_TLS_KEY: key,
    ...others,
  }
}

function without(...names: readonly string[]): Record<string, string> {
  const unset = Object.fromEntries(names.map((name) => [`WEIR_CASSANDRA_${name}`, '']))
  return settingsWith(unset)
}

/** Begins as a start does, until it is let in, is refused, or waits. */
async function knock(settings: Readonly<Record<string, string>>): Promise<void> {
  const waiting = new AbortController()
  let said = ''
  const onWaiting = (what: string) => {
    said = what
    waiting.abort()
  }
  const wanted = clusterSettingsOf(readConfig(settings))
  try {
    await makeKeyspace(wanted, { onWaiting, signal: waiting.signal })
  } catch (error) {
    throw waiting.signal.aborted ? new Error(said) : error
  }
}

function refusedFor(pattern: RegExp): (error: unknown) => boolean {
  return (error) => {
    assert.ok(error instanceof StoreUnusable, String(error))
    assert.equal(error.why, 'settings')
    assert.match(error.message, pattern)
    return true
  }
}

/** Runs statements as an administrator does. */
async function administer(...statements: readonly string[]): Promise<void> {
  await makeKeyspace(clusterSettingsOf(readConfig(settingsWith())), {})
  await withCluster(async (cluster) => {
    for (const cql of statements) await cluster.alter(cql)
  })
}

async function withCluster<T>(use: (cluster: Cluster) => Promise<T>): Promise<T> {
  const cluster = await Cluster.open(clusterSettingsOf(readConfig(settingsWith())))
  try {
    return await use(cluster)
  } finally {
    await cluster.close()
  }
}

/** The settings of a role that was made for a test. */
function asRole(role: string, others: Readonly<Record<string, string>> = {}) {
  const signIn = { WEIR_CASSANDRA_USER: role, WEIR_CASSANDRA_PASSWORD: 'let me in' }
  return settingsWith({ ...signIn, ...others })
}

/** A start that ends with the code of wrong settings, and one sentence. */
async function endsWith(expected: RegExp, settings: Readonly<Record<string, string>>) {
  const { code, err } = await startWeir(join(home, 'ends'), ['serve'], settings).done
  assert.match(err, expected)
  assert.doesNotMatch(err, /\n\s+at /)
  assert.equal(code, 78)
}

/** A role of PostgreSQL with a schema of its own, and nothing else; the URL of it. */
async function makePostgresRole(role: string): Promise<string> {
  await postgres.ask(`CREATE ROLE ${role} LOGIN PASSWORD 'let-me-in'`)
  await postgres.ask(`CREATE SCHEMA ${role} AUTHORIZATION ${role}`)
  return urlOf(postgres.server.port, role).replace('weir:the-password', `${role}:let-me-in`)
}

function rightCases(): void {
  test('a start whose role may not make the keyspace ends and says who makes it', async () => {
    await administer(`CREATE ROLE guest WITH LOGIN = true AND PASSWORD = 'let me in'`)
    await endsWith(
      /refuses Weir: User guest has no CREATE permission on <all keyspaces>.*create the keyspace fresh as an administrator, or GRANT CREATE ON ALL KEYSPACES TO guest/,
      asRole('guest', { WEIR_CASSANDRA_KEYSPACE: 'fresh' }),
    )
  })

  test('a start whose role has no rights in the keyspace ends and names the grant', async () => {
    await endsWith(/GRANT CREATE, SELECT, MODIFY ON KEYSPACE weir TO guest/, asRole('guest'))
  })

  test('a start whose role may not make tables in PostgreSQL ends and names the statement', async () => {
    const url = await makePostgresRole('idler')
    await endsWith(
      /PostgreSQL refuses Weir: .*CREATE SCHEMA weir AUTHORIZATION weir/,
      settingsWith({ WEIR_POSTGRES_URL: url.replace('search_path%3Didler', 'search_path%3Dnone') }),
    )
  })

  test('the rights that the manual names are enough, and one that is taken away later is a 503', async () => {
    await administer(
      `CREATE ROLE worker WITH LOGIN = true AND PASSWORD = 'let me in'`,
      'GRANT CREATE, SELECT, MODIFY ON KEYSPACE weir TO worker',
    )
    const url = await makePostgresRole('worker')
    const settings = asRole('worker', { WEIR_POSTGRES_URL: url, WEIR_FEED_KEY: FEED_KEY })
    await using opened = new AsyncDisposableStack()
    const service = await startServiceOn(join(home, 'worker'), settings)
    opened.defer(() => service.close())
    const device = caller(service, '', { 'X-Api-Key': FEED_KEY })
    const put = (query: string) => device('PUT', `/api/feed?compId=c&${query}`)
    assert.equal((await put('s=1&time=1000')).status, 200)
    assert.equal((await put('s=2&time=2000')).status, 200)
    const read = await device('GET', '/api/comp/c/stream/s/feed?c=9')
    assert.deepEqual(read.body, [
      { time: 2000, data: 2 },
      { time: 1000, data: 1 },
    ])
    const target = { url: service.url, feedKey: FEED_KEY }
    await putFile(target, '/comp/c/stream/f/feed/file/a.bin', new Uint8Array(300_000))
    await administer('REVOKE MODIFY ON KEYSPACE weir FROM worker')
    // The role made the tables, and so has rights of its own in each.
    const tables = await tablesOf('weir')
    await administer(...tables.map((table) => `REVOKE MODIFY ON weir.${table} FROM worker`))
    await eventually(async () => {
      const { status, headers, text } = await put('s=3&time=3000')
      assert.deepEqual([status, headers.get('retry-after')], [503, '5'], text)
    })
    await administer('GRANT MODIFY ON KEYSPACE weir TO worker')
    await eventually(async () => assert.equal((await put('s=3&time=3000')).status, 200))
  })

  // The last of all: nobody can sign in from here on.
  test('while too few nodes know the roles, calls are a 503, /readyz says so, and a start waits', async () => {
    const settings = asRole('worker', {
      WEIR_POSTGRES_URL: await makePostgresRole('later'),
      WEIR_FEED_KEY: FEED_KEY,
      WEIR_CASSANDRA_KEYSPACE: 'later',
    })
    await administer(
      `CREATE KEYSPACE later WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}`,
      'GRANT CREATE, SELECT, MODIFY ON KEYSPACE later TO worker',
    )
    await using opened = new AsyncDisposableStack()
    const service = await startServiceOn(join(home, 'later'), settings)
    opened.defer(() => service.close())
    const device = caller(service, '', { 'X-Api-Key': FEED_KEY })
    const put = () => device('PUT', '/api/feed?compId=c&s=1&time=1000')
    assert.equal((await put()).status, 200)
    // More copies than nodes: a majority of them is never there. Nobody may ask after this whether the nodes agree.
    const copies = `{'class': 'SimpleStrategy', 'replication_factor': 3}`
    await withCluster((cluster) =>
      cluster.run(`ALTER KEYSPACE system_auth WITH replication = ${copies}`, []),
    )
    await eventually(async () => {
      const { status, headers, text } = await put()
      assert.deepEqual([status, headers.get('retry-after')], [503, '5'], text)
    })
    // The node remembers for a moment which tables a role may read.
    for (const path of ['last_value', 'stream/s/feed?c=1']) {
      await eventually(async () => {
        const { status, headers, text } = await device('GET', `/api/comp/c/${path}`)
        assert.deepEqual([status, headers.get('retry-after')], [503, '5'], text)
      })
    }
    await eventually(async () => {
      const ready = await fetch(`${service.url}/readyz`)
      assert.equal(ready.status, 503)
      assert.match(await ready.text(), /storage: Cassandra does not answer/)
    })
    await assert.rejects(knock(settings), /waits for Cassandra at .*consistency level/)
  })
}

async function tablesOf(keyspace: string): Promise<string[]> {
  const cql = 'SELECT table_name FROM system_schema.tables WHERE keyspace_name = ?'
  const rows = await withCluster((cluster) => cluster.run(cql, [keyspace]))
  return rows.map((row) => String(row.table_name))
}

function cases(): void {
  before(async () => {
    home = mkdtempSync(join(tmpdir(), 'weir-sign-in-'))
    postgres = await makePostgresHome()
    postgresUrl = postgres.url
    const shown = join(home, 'node.pem')
    writeFileSync(shown, readFileSync(key, 'utf8') + readFileSync(certificate, 'utf8'))
    const factory = 'org.apache.cassandra.security.PEMBasedSslContextFactory'
    const encryption = {
      enabled: true,
      optional: false,
      require_client_auth: true,
      ssl_context_factory: { class_name: factory },
      keystore: shown,
      truststore: certificate,
    }
    node = await startCassandraNodes(home, {
      count: 1,
      keepsSchema: false,
      settings: {
        authenticator: 'PasswordAuthenticator',
        authorizer: 'CassandraAuthorizer',
        roles_validity: '200ms',
        permissions_validity: '200ms',
        credentials_validity: '200ms',
        client_encryption_options: JSON.stringify(encryption),
        // By 127.0.0.2 too, for which its certificate is not.
        rpc_address: '0.0.0.0',
        broadcast_rpc_address: '127.0.0.1',
      },
    })
    // It listens before it has made its first user.
    await eventually(() => knock(settingsWith()))
  })
  after(async () => {
    await node?.stop()
    rmSync(home, { recursive: true, force: true, maxRetries: 5 })
  })

  test('who signs in and shows a certificate writes and reads', async () => {
    const cluster = await Cluster.open(clusterSettingsOf(readConfig(settingsWith())))
    try {
      await cluster.alter('CREATE TABLE kept (name text PRIMARY KEY, value text)')
      await cluster.run('INSERT INTO kept (name, value) VALUES (?, ?)', ['a', 'one'])
      const rows = await cluster.run('SELECT value FROM kept WHERE name = ?', ['a'])
      assert.deepEqual(
        rows.map(({ value }) => value),
        ['one'],
      )
    } finally {
      await cluster.close()
    }
  })

  test('a start with a wrong password ends and says so', async () => {
    const wrong = settingsWith({ WEIR_CASSANDRA_PASSWORD: 'a guess' })
    const { code, err } = await startWeir(join(home, 'wrong'), ['serve'], wrong).done
    assert.equal(code, 78)
    assert.match(err, /^Cannot start: Cannot use Cassandra at 127\.0\.0\.1:\d+: .*password/)
    assert.doesNotMatch(err, /a guess|\n\s+at /)
  })

  test('a start without credentials names the settings that are missing', async () => {
    await assert.rejects(
      knock(without('USER', 'PASSWORD')),
      refusedFor(/: set WEIR_CASSANDRA_USER and WEIR_CASSANDRA_PASSWORD$/),
    )
  })

  test('a node whose certificate nobody vouches for is not used', async () => {
    await assert.rejects(
      knock(without('TLS_CA')),
      refusedFor(/self-signed certificate.*WEIR_CASSANDRA_TLS_CA /),
    )
  })

  test('a node whose certificate is for another address is not used', async () => {
    const elsewhere = settingsWith({ WEIR_CASSANDRA_HOSTS: `127.0.0.2:${node.port}` })
    await assert.rejects(knock(elsewhere), refusedFor(/127\.0\.0\.2 is not in the cert's list/))
  })

  test('a start without the certificate that the cluster asks for ends and says so', async () => {
    await assert.rejects(
      knock(without('TLS_CERT', 'TLS_KEY')),
      refusedFor(/certificate required.*WEIR_CASSANDRA_TLS_CERT$/),
    )
  })

  test('a start without TLS waits and says for what', async () => {
    const plain = without('TLS_CA', 'TLS_CERT', 'TLS_KEY')
    await assert.rejects(
      knock({ ...plain, WEIR_CASSANDRA_TLS: 'off' }),
      /waits for Cassandra at .*WEIR_CASSANDRA_TLS is off/,
    )
  })
}

if (skip === false) {
  cases()
  rightCases()
} else test('a cluster that wants to know who comes', { skip }, () => {})
