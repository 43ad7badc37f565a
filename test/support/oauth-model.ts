import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type GrantCode, issueCode } from '../../src/auth/oauth/code-record.ts'
import {
  answerTokenRequest,
  BearerCache,
  type OAuthBase,
  type OAuthSettings,
} from '../../src/auth/oauth/index.ts'
import { ManualClock } from '../../src/base/index.ts'
import { openCatalogStore } from '../../src/store/embedded/index.ts'
import { withCommitListener } from '../../src/store/index.ts'

/** The steps of OAuth over a real catalog in a temporary folder, with a clock that stands still. */
export interface OAuthModel {
  readonly base: OAuthBase
  /** Tokens in memory, as calls find them. */
  readonly bearers: BearerCache
  readonly clock: ManualClock
  /** A code of user u1 for client c1, but for what is given. */
  issue(granted?: Partial<GrantCode>): Promise<string>
  /** What the token endpoint answers to these parameters. */
  ask(params: Record<string, string>, authorization?: string): ReturnType<typeof answerTokenRequest>
  [Symbol.asyncDispose](): Promise<void>
}

const START_MS = 1_700_000_000_000

/** Opens a model; `await using` closes it and removes its folder. */
export async function openOAuthModel(settings: Partial<OAuthSettings> = {}): Promise<OAuthModel> {
  const folder = await mkdtemp(join(tmpdir(), 'weir-oauth-'))
  const clock = new ManualClock(START_MS)
  const plain = await openCatalogStore({ folder, clock })
  const store = withCommitListener(plain, (writes) => bearers.forgetWritten(writes))
  const base: OAuthBase = {
    store,
    clock,
    settings: {
      mode: 'open',
      accessTokenSeconds: 86_400,
      refreshTokenSeconds: 864_000,
      ...settings,
    },
  }
  const bearers = new BearerCache(base)
  return {
    base,
    bearers,
    clock,
    issue: (granted = {}) => issueCode(base, { ...PLAIN_CODE, ...granted }),
    ask: (params, authorization) => {
      const query = new URLSearchParams(params).toString()
      const source = { query, contentType: '', body: '' }
      return answerTokenRequest(base, { source, authorization })
    },
    [Symbol.asyncDispose]: async () => {
      await store.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

const PLAIN_CODE: GrantCode = {
  userUid: 'u1',
  clientId: 'c1',
  clientName: 'c1',
  isRegistered: false,
  redirectUri: 'https://client.example/cb',
  scope: 'feed:read feed:write admin',
  askedScope: '',
  challenge: '',
}
