import assert from 'node:assert/strict'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import {
  clusterPortsOf,
  readCassandraHosts,
  readKeyspace,
  readPostgresUrl,
  readReplication,
} from './cluster-figures.ts'
import { ConfigError, readConfig } from './config.ts'
import { SettingMistake } from './setting-readers.ts'

test('readCassandraHosts() reads hosts with one port for all', () => {
  const check = (text: string, hosts: string[], port: number) => {
    const named = readCassandraHosts(text)
    assert.deepEqual([named.hosts, clusterPortsOf(named, 9_042)], [hosts, [port]], text)
  }
  check('10.0.0.1', ['10.0.0.1'], 9_042)
  check('a.example:19042, b.example:19042,', ['a.example', 'b.example'], 19_042)
  check('fe80::1,[fe80::2]', ['fe80::1', 'fe80::2'], 9_042)
  check('[::1]:9043', ['::1'], 9_043)
  for (const wrong of ['', ',', 'a:0', 'a:70000', 'a:b', 'a b', 'http://a', '[a]:1']) {
    assert.throws(() => readCassandraHosts(wrong), SettingMistake, wrong)
  }
})

test('names that settings had are taken, and hosts without a port have that of its own setting', () => {
  const hosts = {
    WEIR_STORE: 'cluster',
    WEIR_POSTGRES_URL: 'postgres://u@h/d',
    WEIR_CASSANDRA_HOSTS: 'a,b',
  }
  const config = readConfig({
    ...hosts,
    WEIR_CASSANDRA_PORT: '9043',
    WEIR_CASSANDRA_DATA_CENTRE: 'dc7',
  })
  assert.deepEqual([config.cassandraPort, config.cassandraDataCentre], [9_043, 'dc7'])
  assert.equal(readConfig({ WEIR_CASSANDRA_DATACENTER: 'dc8' }).cassandraDataCentre, 'dc8')
  assert.deepEqual(
    ['embedded', 'folder', ''].map((WEIR_STORE) => readConfig({ WEIR_STORE }).store),
    ['embedded', 'embedded', 'embedded'],
  )
  const wrong = (environment: Record<string, string>, expected: RegExp) =>
    assert.throws(
      () => readConfig(environment),
      (error) => error instanceof ConfigError && expected.test(error.mistakes.join()),
    )
  wrong({ WEIR_STORE: 'sqlite' }, /^WEIR_STORE must be one of embedded, cluster, not "sqlite"$/)
  wrong({ ...hosts, WEIR_CASSANDRA_HOSTS: 'a:1,b:2' }, /the same port on all hosts, not 1, 2$/)
  wrong({ ...hosts, WEIR_CASSANDRA_HOSTS: 'a:1,b' }, /the same port on all hosts, not 1, 9042$/)
  wrong({ ...hosts, WEIR_CASSANDRA_PORT: '0' }, /^WEIR_CASSANDRA_PORT /)
  readConfig({ ...hosts, WEIR_CASSANDRA_HOSTS: 'a:1,b', WEIR_CASSANDRA_PORT: '1' })
  wrong(
    { WEIR_CASSANDRA_DATACENTER: 'a', WEIR_CASSANDRA_DATA_CENTRE: 'a' },
    /DATA_CENTRE \(in the environment\) is the former name of WEIR_CASSANDRA_DATACENTER\. Set only one of them$/,
  )
})

test('readReplication() reads copies, of one data centre or of several', () => {
  assert.equal(readReplication('3'), 3)
  assert.deepEqual(readReplication('dc1=3, dc2=2'), { dc1: 3, dc2: 2 })
  for (const wrong of ['0', '-1', 'three', 'dc1=0', 'dc1', 'dc1=1,dc1=2', 'a=1,,', "a'=1", '100']) {
    assert.throws(() => readReplication(wrong), SettingMistake, wrong)
  }
})

test('WEIR_STORE=cassandra is refused with what to set instead', () => {
  assert.throws(
    () => readConfig({ WEIR_STORE: 'cassandra' }),
    (error) =>
      error instanceof ConfigError &&
      /WEIR_STORE .*Set WEIR_STORE=cluster and WEIR_POSTGRES_URL/.test(error.mistakes.join()),
  )
})

test('readPostgresUrl() takes URLs with a database, and repeats no password of others', () => {
  for (const url of ['postgres://h/d', 'postgresql://u:p@a,b:1,[::1]:2/d?sslmode=require']) {
    assert.equal(readPostgresUrl(url), url)
  }
  for (const wrong of [
    'mysql://u:secret@h/d',
    'postgres://u:secret@h',
    'u:secret@h/d',
    'postgres:///d',
  ]) {
    assert.throws(
      () => readPostgresUrl(wrong),
      (error) => error instanceof SettingMistake && !error.message.includes('secret'),
    )
  }
})

test('readKeyspace() takes what CQL takes without quotes', () => {
  assert.equal(readKeyspace('weir_2'), 'weir_2')
  for (const wrong of ['Weir', '2weir', 'a-b', 'a;b', 'a'.repeat(49)]) {
    assert.throws(() => readKeyspace(wrong), SettingMistake, wrong)
  }
})

test('settings that contradict each other are reported together, without passwords', () => {
  const file = join(mkdtempSync(join(tmpdir(), 'weir-config-')), 'ca.pem')
  writeFileSync(file, 'no certificate')
  const mistakesOf = (environment: Record<string, string>): string => {
    try {
      readConfig(environment)
    } catch (error) {
      if (error instanceof ConfigError) return error.mistakes.join('\n')
      throw error
    }
    return ''
  }
  const mistakes = mistakesOf({
    WEIR_STORE: 'cluster',
    WEIR_CASSANDRA_PASSWORD: 'hidden one',
    WEIR_CASSANDRA_REPLICATION: 'dc1=3',
    WEIR_CASSANDRA_TLS_CA: file,
  })
  assert.match(mistakes, /WEIR_POSTGRES_URL must be set when WEIR_STORE is cluster/)
  assert.match(mistakes, /WEIR_CASSANDRA_HOSTS must be set when WEIR_STORE is cluster/)
  assert.match(mistakes, /USER and WEIR_CASSANDRA_PASSWORD must be set together/)
  assert.match(mistakes, /REPLICATION must have replicas in "datacenter1"/)
  assert.match(mistakes, /TLS_CA must not be set while WEIR_CASSANDRA_TLS is off/)
  assert.ok(!mistakes.includes('hidden one'))
  const tls = { WEIR_CASSANDRA_TLS: 'on', WEIR_CASSANDRA_TLS_CA: file }
  assert.match(mistakesOf(tls), /TLS_CA must contain certificates in PEM/)
  const halfPair = { WEIR_CASSANDRA_TLS: 'on', WEIR_CASSANDRA_TLS_CERT: file }
  assert.match(mistakesOf(halfPair), /CERT and WEIR_CASSANDRA_TLS_KEY must be set together/)
})
