/** Two services over one cluster, as two processes have them: nothing is shared but the cluster and the key of secrets. */
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openApp, type WeirApp } from '../../../src/app.ts'
import type { ClusterPlace } from '../../../src/assembly/open-cluster-stores.ts'
import { type Clock, createLog, readConfig } from '../../../src/base/index.ts'
import { type Call, caller, signIn } from '../../support/caller.ts'
import { LEAST_PASSWORD_COST } from '../../support/service.ts'
import {
  clusterServiceSettings,
  dropTestCluster,
  testClusterPlace,
} from '../../support/test-cluster.ts'

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

function settingsOf(place: ClusterPlace): Record<string, string> {
  return {
    ...clusterServiceSettings(place),
    WEIR_PORT: '0',
    WEIR_OWNER_EMAIL: EMAIL,
    WEIR_OWNER_PASSWORD: PASSWORD,
    WEIR_RATE_LIMITS: 'off',
  }
}

/** What the other service has of its own. */
interface Other {
  readonly clock?: Clock
  readonly settings?: Readonly<Record<string, string>>
}

/** Opens both over a cluster of the test file's own. */
export async function openTwoApps(
  name: string,
  settings: Readonly<Record<string, string>> = {},
  other: Other = {},
): Promise<TwoApps> {
  const place = await testClusterPlace(name)
  const home = mkdtempSync(join(tmpdir(), 'weir-two-'))
  await using opened = new AsyncDisposableStack()
  opened.defer(() => rmSync(home, { recursive: true, force: true }))
  opened.defer(() => dropTestCluster(place))
  const open = async (folder: string) => {
    const dataDir = join(home, folder)
    mkdirSync(dataDir, { recursive: true })
    if (folder === 'other') copyFileSync(join(home, 'one', KEY_FILE), join(dataDir, KEY_FILE))
    const own = folder === 'other' ? other : {}
    const config = readConfig({
      ...settingsOf(place),
      WEIR_DATA_DIR: dataDir,
      ...settings,
      ...own.settings,
    })
    const { clock } = own
    const log = createLog({ level: 'silent' })
    const app = await openApp(config, { log, passwordCost: LEAST_PASSWORD_COST, clock })
    opened.defer(() => app.close())
    return { app, url: await app.listen() }
  }
  const first = await open('one')
  const feedKey = first.app.firstStart?.feedKey
  if (feedKey === undefined) throw new Error('the first start of an empty cluster told nothing')
  const second = await open('other')
  const session = await signIn(first, EMAIL, PASSWORD)
  const peer = ({ app, url }: { app: WeirApp; url: string }): Peer => ({
    app,
    url,
    feedKey,
    device: caller({ url }, '', { 'X-Api-Key': feedKey }),
    owner: caller({ url }, session),
  })
  const closing = opened.move()
  return {
    one: peer(first),
    other: peer(second),
    session,
    account: { email: EMAIL, password: PASSWORD },
    close: () => closing.disposeAsync(),
  }
}
