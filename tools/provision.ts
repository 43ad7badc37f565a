/**
 * What the tests need from the system: found on the machine, else installed with apt-get when that
 * is allowed, else named in a line at the end of the run, and a failure where CI=true.
 */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { findBrowser } from '../test/support/browser.ts'
import { hasMariadb } from '../test/support/mariadb-server.ts'
import { findPostgresql } from '../test/support/postgresql-server.ts'

interface Part {
  readonly name: string
  /** A test file that holds this text needs the part. */
  readonly neededBy: string
  readonly debianPackage: string
  /** A setting that names the part; what an operator named wrongly, nothing is installed for. */
  readonly setting?: string
  isThere(): boolean
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
    debianPackage: 'chromium',
    setting: 'WEIR_TEST_BROWSER',
    isThere: () => findBrowser() !== undefined,
  },
  {
    name: 'curl',
    neededBy: 'command curl ',
    debianPackage: 'curl',
    isThere: () => spawnSync('curl', ['--version']).status === 0,
  },
  {
    name: 'PostgreSQL',
    neededBy: "/postgresql-server.ts'",
    debianPackage: 'postgresql',
    isThere: () => findPostgresql() !== undefined,
  },
  {
    name: 'MariaDB',
    neededBy: "/mariadb-server.ts'",
    debianPackage: 'mariadb-server',
    isThere: hasMariadb,
  },
]

/** Finds or installs what the test files need; tells what is missing and which files that skips. */
export function provision(testFiles: readonly string[]): MissingPart[] {
  const missing: MissingPart[] = []
  for (const part of parts) {
    const files = testFiles.filter((file) => readFileSync(file, 'utf8').includes(part.neededBy))
    if (files.length === 0 || part.isThere()) continue
    const isNamed = part.setting !== undefined && process.env[part.setting] !== undefined
    const why = isNamed ? `${part.setting} names no program` : install(part.debianPackage)
    if (!part.isThere()) missing.push({ name: part.name, why, files })
  }
  return missing
}

function install(debianPackage: string): string {
  if (process.getuid?.() !== 0) return 'it is not installed, and only root may install it'
  if (spawnSync('apt-get', ['--version']).status !== 0)
    return 'it is not installed, and this system has no apt-get'
  console.log(`Installing ${debianPackage} for the tests that need it`)
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  for (const args of [
    ['update', '-qq'],
    ['install', '-y', '-qq', '--no-install-recommends', debianPackage],
  ]) {
    const { status, stderr } = spawnSync('apt-get', args, { env, encoding: 'utf8' })
    if (status !== 0) return `apt-get ${args[0]} failed: ${stderr.trim().split('\n').at(-1)}`
  }
  return `apt-get installed ${debianPackage}, but it cannot be found`
}
