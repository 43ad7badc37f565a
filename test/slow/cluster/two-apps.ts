/** Two services over one keyspace, as two processes have them: nothing is shared but the cluster and the key of secrets. */
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openApp, type WeirApp } from '../../../src/app.ts'
import { createLog, readConfig } from '../../../src/base/index.ts'
import { Cluster, type ClusterSettings } from '../../../src/store/cassandra/index.ts'
import { type Call, caller, signIn } from '../../support/caller.ts'
import { clusterServiceSettings, testKeyspaceSettings } from '../../support/cassandra.ts'
import { LEAST_PASSWORD_COST } from '../../support/service.ts'

const EMAIL = 'owner@example.org'
const PASSWORD = 'correct horse battery'
const KEY_FILE = 'secret.key'

/** One of the services. */
export interface Peer {
  readonly url: string
  readonly app: WeirApp
  readonly feedKey: string
  /** Calls with the feed key. */
  readonly device: Call
  /** Calls with a session of the owner. */
  readonly owner: Call
}

/** Both, and how they end. */
export interface TwoApps {
  readonly one: Peer
  readonly other: Peer
  readonly session: string
  /** The owner's. */
  readonly account: { readonly email: string; readonly password: string }
  close(): Promise<void>
}

function settingsOf(keyspace: ClusterSettings): Record<string, string> {
  return {
    ...clusterServiceSettings(keyspace),
    WEIR_PORT: '0',
    WEIR_OWNER_EMAIL: EMAIL,
    WEIR_OWNER_PASSWORD: PASSWORD,
    WEIR_RATE_LIMITS: 'off',
  }
}

/** Opens both over a keyspace of the test file's own. */
export async function openTwoApps(
  name: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<TwoApps> {
  const keyspace = await testKeyspaceSettings(name)
  const home = mkdtempSync(join(tmpdir(), 'weir-two-'))
  await using opened = new AsyncDisposableStack()
  opened.defer(() => rmSync(home, { recursive: true, force: true }))
  opened.defer(() => dropKeyspace(keyspace))
  const open = async (folder: string) => {
    const dataDir = join(home, folder)
    mkdirSync(dataDir, { recursive: true })
    if (folder === 'other') copyFileSync(join(home, 'one', KEY_FILE), join(dataDir, KEY_FILE))
    const config = readConfig({ ...settingsOf(keyspace), WEIR_DATA_DIR: dataDir, ...settings })
    const options = { log: createLog({ level: 'silent' }), passwordCost: LEAST_PASSWORD_COST }
    const app = await openApp(config, options)
    opened.defer(() => app.close())
    return { app, url: await app.listen() }
  }
  const first = await open('one')
  const feedKey = first.app.firstStart?.feedKey
  if (feedKey === undefined) throw new Error('the first start of an empty keyspace told nothing')
  const second = await open('other')
  const session = await signIn(first, EMAIL, PASSWORD)
  const peer = ({ app, url }: { app: WeirApp; url: string }): Peer => ({
    ...{ app, url, feedKey },
    device: caller({ url }, '', { 'X-Api-Key': feedKey }),
    owner: caller({ url }, session),
  })
  const closing = opened.move()
  return {
    ...{ one: peer(first), other: peer(second), session },
    account: { email: EMAIL, password: PASSWORD },
    close: () => closing.disposeAsync(),
  }
}

async function dropKeyspace(keyspace: ClusterSettings): Promise<void> {
  // A cluster that goes with the tests keeps what it has.
  if (process.env.WEIR_TEST_CASSANDRA === undefined) return
  const cluster = await Cluster.open(keyspace)
  // On a busy machine nodes agree late: what is left over harms nobody.
  await cluster.alter(`DROP KEYSPACE ${keyspace.keyspace}`).catch(() => {})
  await cluster.close()
}
