/** The nodetool of Cassandra, which its jars contain. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { JAVA_MODULES } from './cassandra-nodes.ts'
import { findCassandra, findJava } from './cassandra-programs.ts'

const run = promisify(execFile)
const MAIN = 'org.apache.cassandra.tools.NodeTool'

/** Runs a command of nodetool on the node with this JMX port; `home` takes the history of commands. */
export async function runNodetool(
  jmxPort: number,
  home: string,
  words: readonly string[],
): Promise<string> {
  const [java, jars] = [findJava(), findCassandra()]
  if (java === undefined || jars === undefined) throw new Error('Cassandra or Java is missing')
  const small = ['-Xmx128M', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1']
  const machine = [...small, `-Duser.home=${home}`, ...JAVA_MODULES]
  const place = ['-h', '127.0.0.1', '-p', String(jmxPort)]
  const { stdout } = await run(java, [...machine, '-cp', jars, MAIN, ...place, ...words])
  return stdout
}
