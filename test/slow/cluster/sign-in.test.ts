/**
 * A cluster that lets nobody in who does not sign in by password, over TLS, with a certificate of its own: one node,
 * as this is about one connection.
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
import { type CassandraNodes, startCassandraNodes } from '../../support/cassandra-nodes.ts'
import { makePostgresHome } from '../../support/postgres-home.ts'
import { eventually } from '../../support/settle.ts'
import { clusterSkip } from '../../support/test-cluster.ts'
import { startWeir } from '../../support/weir-command.ts'

const skip = clusterSkip()
/** For localhost and 127.0.0.1, by itself: the node's, its authority's and that of its clients. */
const certificate = fixture('localhost-cert.pem')
const key = fixture('localhost-key.pem')

let home: string
let node: CassandraNodes
let postgresUrl: string

function fixture(name: string): string {
  return fileURLToPath(new URL(`../../fixtures/${name}`, import.meta.url))
}

/** The settings of a process that is let in, but for those that are told. */
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

function cases(): void {
  before(async () => {
    home = mkdtempSync(join(tmpdir(), 'weir-sign-in-'))
    postgresUrl = (await makePostgresHome()).url
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

  test('a start that does not sign in is told to', async () => {
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

if (skip === false) cases()
else test('a cluster that wants to know who comes', { skip }, () => {})
