/** What a Cassandra of a test is made of: a Java that it runs on, and the jars of its release. */
import { spawnSync } from 'node:child_process'
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'

const VERSION = '5.0.5'
/** Debian's packages of what fetches and runs it. */
export const CASSANDRA_PACKAGES = ['openjdk-17-jre-headless', 'maven'] as const
/** The releases of Java that this Cassandra runs on. */
const JAVAS = ['17', '11']

const cacheFolder = process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache')
/** The jars, kept from run to run: it takes a minute to fetch them. */
const jarFolder = join(cacheFolder, 'weir-tests', `cassandra-${VERSION}`)

const pom = `<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<groupId>weir</groupId><artifactId>cassandra-of-tests</artifactId><version>1</version>
<packaging>pom</packaging><dependencies><dependency><groupId>org.apache.cassandra</groupId>
<artifactId>cassandra-all</artifactId><version>${VERSION}</version></dependency></dependencies></project>
`

/** A Java that this Cassandra runs on, or undefined. */
export function findJava(): string | undefined {
  const installed = JAVAS.flatMap((java) => globSync(`/usr/lib/jvm/*-${java}-*/bin/java`))
  return [...installed, 'java'].find((program) => {
    const { status, stderr } = spawnSync(program, ['-version'], { encoding: 'utf8' })
    return status === 0 && JAVAS.includes(/version "(\d+)/.exec(stderr)?.[1] ?? '')
  })
}

/** The class path of Cassandra, or undefined while its jars were not fetched. */
export function findCassandra(): string | undefined {
  return existsSync(jarFolder) ? join(jarFolder, '*') : undefined
}

/** Why tests of Cassandra cannot run here, for the `skip` option; with CI=true they must run. */
export function cassandraSkip(): string | false {
  if (process.env.WEIR_TEST_CASSANDRA !== undefined || process.env.CI === 'true') return false
  return cassandraLack() ?? false
}

/** What is missing for starting a cluster, or undefined. */
export function cassandraLack(): string | undefined {
  if (process.platform !== 'linux') return 'only Linux has 127.0.0.2 and 127.0.0.3 by itself'
  if (findCassandra() === undefined) return 'no Cassandra on this machine: `npm test` fetches it'
  return findJava() === undefined ? 'no Java 17 on this machine' : undefined
}

/** Fetches the jars with Maven; why that failed, or undefined. */
export function fetchCassandra(): string | undefined {
  if (findCassandra() !== undefined) return undefined
  console.log(`Fetching Cassandra ${VERSION} for the tests that need it`)
  const project = mkdtempSync(join(tmpdir(), 'weir-cassandra-jars-'))
  try {
    writeFileSync(join(project, 'pom.xml'), pom)
    const fetched = join(project, 'jars')
    const goal = ['dependency:copy-dependencies', `-DoutputDirectory=${fetched}`]
    const args = ['-q', '-B', ...goal, '-DincludeScope=runtime']
    const { status, stdout, error } = spawnSync('mvn', args, { cwd: project, encoding: 'utf8' })
    if (error !== undefined) return `Maven cannot be run: ${error.message}`
    if (status !== 0) return `Maven failed: ${stdout.trim().split('\n')[0]}`
    mkdirSync(join(jarFolder, '..'), { recursive: true })
    const arriving = `${jarFolder}.${process.pid}`
    // On the same disk first: then they are there as a whole, or not at all.
    const copied = spawnSync('cp', ['-r', fetched, arriving])
    if (copied.status !== 0) return `the jars cannot be copied: ${copied.stderr}`
    return settleJars(arriving)
  } finally {
    rmSync(project, { recursive: true, force: true })
  }
}

function settleJars(arriving: string): string | undefined {
  try {
    renameSync(arriving, jarFolder)
    return undefined
  } catch (error) {
    rmSync(arriving, { recursive: true, force: true })
    // Another run may have fetched them meanwhile.
    return findCassandra() === undefined ? `the jars cannot be kept: ${error}` : undefined
  }
}
