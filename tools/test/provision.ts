/**
 * What the tests need from the system: found on the machine, else installed with apt-get when that
 * is allowed, else named in a line at the end of the run, and a failure where CI=true.
 */
import { spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { findBrowser } from '../../test/support/browser.ts'
import {
  CASSANDRA_PACKAGES,
  fetchCassandra,
  findCassandra,
  findJava,
} from '../../test/support/cassandra-programs.ts'
import { hasInfluxdb } from '../../test/support/influxdb-server.ts'
import { hasMariadb } from '../../test/support/mariadb-server.ts'
import { hasNginx } from '../../test/support/nginx.ts'
import { hasGit, reachesNpmRegistry } from '../../test/support/npm-registry.ts'
import { findPostgresql } from '../../test/support/postgresql-server.ts'

interface Part {
  readonly name: string
  /** A test file that holds this text needs the part. */
  readonly neededBy: string
  readonly debianPackages: readonly string[]
  /** A setting that names the part; what an operator named wrongly, nothing is installed for. */
  readonly setting?: string
  isThere(): boolean
  /** What is fetched beside packages; why it could not be, or undefined. */
  fetch?(): string | undefined
}

/** A part that is missing, and why it could not be had. */
export interface MissingPart {
  readonly name: string
  readonly why: string
  readonly files: readonly string[]
}

const parts: readonly Part[] = [
  {
    name: 'Chromium',
    neededBy: "/browser.ts'",
    debianPackages: ['chromium-headless-shell'],
    setting: 'WEIR_TEST_BROWSER',
    isThere: () => findBrowser() !== undefined,
  },
  {
    name: 'curl',
    neededBy: 'command curl ',
    debianPackages: ['curl'],
    isThere: () => spawnSync('curl', ['--version']).status === 0,
  },
  {
    name: 'git',
    neededBy: "/npm-registry.ts'",
    debianPackages: ['git'],
    isThere: hasGit,
  },
  {
    name: 'the npm registry',
    neededBy: "/npm-registry.ts'",
    debianPackages: [],
    isThere: reachesNpmRegistry,
    fetch: () => 'npm cannot reach it',
  },
  {
    name: 'PostgreSQL',
    neededBy: "/postgresql-server.ts'",
    debianPackages: ['postgresql'],
    isThere: () => findPostgresql() !== undefined,
  },
  {
    name: 'MariaDB',
    neededBy: "/mariadb-server.ts'",
    debianPackages: ['mariadb-server'],
    isThere: hasMariadb,
  },
  {
    name: 'InfluxDB',
    neededBy: "/influxdb-server.ts'",
    debianPackages: ['influxdb'],
    isThere: hasInfluxdb,
  },
  {
    name: 'nginx',
    neededBy: "/nginx.ts'",
    debianPackages: ['nginx-light'],
    isThere: hasNginx,
  },
  {
    name: 'iptables',
    neededBy: "/fault-world.ts'",
    debianPackages: ['iptables'],
    isThere: () => spawnSync('iptables', ['--version']).status === 0,
  },
  {
    name: 'libfaketime',
    neededBy: "/fault-world.ts'",
    debianPackages: ['faketime'],
    isThere: () => globSync('/usr/lib/*/faketime/libfaketimeMT.so.1').length > 0,
  },
  {
    name: 'Cassandra',
    neededBy: "/cassandra.ts'",
    debianPackages: CASSANDRA_PACKAGES,
    setting: 'WEIR_TEST_CASSANDRA',
    isThere: () =>
      process.env.WEIR_TEST_CASSANDRA !== undefined ||
      (findJava() !== undefined && findCassandra() !== undefined),
    fetch: fetchCassandra,
  },
]

/** Finds or installs what the test files need; lists what is missing and which files are skipped. */
export function provision(testFiles: readonly string[]): MissingPart[] {
  const missing: MissingPart[] = []
  for (const part of parts) {
    const files = testFiles.filter((file) => readFileSync(file, 'utf8').includes(part.neededBy))
    if (files.length === 0 || part.isThere()) continue
    const isNamed = part.setting !== undefined && process.env[part.setting] !== undefined
    const why = isNamed ? `${part.setting} names no program` : obtain(part)
    if (!part.isThere()) missing.push({ name: part.name, why, files })
  }
  return missing
}

function obtain({ debianPackages, fetch }: Part): string {
  const isInstalled = debianPackages.every(
    (name) => spawnSync('dpkg', ['-s', name], { stdio: 'ignore' }).status === 0,
  )
  // Those of a part that fetches more may be there already, from Debian or elsewhere.
  const why = isInstalled && fetch !== undefined ? '' : install(debianPackages)
  return fetch?.() ?? why
}

function install(debianPackages: readonly string[]): string {
  if (process.getuid?.() !== 0) return 'it is not installed, and only root may install it'
  if (spawnSync('apt-get', ['--version']).status !== 0)
    return 'it is not installed, and this system has no apt-get'
  const names = debianPackages.join(' and ')
  console.log(`Installing ${names} for the tests that need it`)
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  for (const args of [
    ['update', '-qq'],
    ['install', '-y', '-qq', '--no-install-recommends', ...debianPackages],
  ]) {
    const { status, stderr } = spawnSync('apt-get', args, { env, encoding: 'utf8' })
    if (status !== 0) return `apt-get ${args[0]} failed: ${stderr.trim().split('\n').at(-1)}`
  }
  return `apt-get installed ${names}, but it cannot be found`
}
