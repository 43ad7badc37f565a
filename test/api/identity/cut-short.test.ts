import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type CatalogStore, withCommit } from '../../../src/store/index.ts'
import { type Answer, type Call, caller, signIn } from '../../support/caller.ts'
import { type Service, startService } from '../../support/service.ts'

/** Where the service is cut off from its catalog, as a kill would. */
interface Cut {
  /** Commits that are still made. */
  left: number
}

function cutBy(cut: Cut): (store: CatalogStore) => CatalogStore {
  return (store) =>
    withCommit(store, async (...commit) => {
      if (cut.left <= 0) throw new Error('cut off from the catalog')
      cut.left -= 1
      return await store.commit(...commit)
    })
}

interface World {
  readonly service: Service
  readonly owner: Call
  readonly cut: Cut
  /** Starts again, whole; a session of the owner with the password. */
  again(): Promise<Call>
}

async function withService(work: (world: World) => Promise<void>): Promise<void> {
  const cut: Cut = { left: Number.POSITIVE_INFINITY }
  const service = await startService({
    wrapCatalog: cutBy(cut),
    settings: { WEIR_QUOTAS: 'off' },
  })
  try {
    const session = await signIn(service, service.ownerEmail, service.ownerPassword)
    const proof = { 'Weir-Password': service.ownerPassword }
    const call: Call = (method, path, body) => caller(service, session, proof)(method, path, body)
    const again = async () => {
      cut.left = Number.POSITIVE_INFINITY
      await service.restart()
      return call
    }
    await work({ service, owner: call, cut, again })
  } finally {
    cut.left = Number.POSITIVE_INFINITY
    await service.close()
  }
}

async function done(answer: Promise<Answer>): Promise<Answer['body']> {
  const { status, text, body } = await answer
  assert.equal(status, 200, text)
  return body
}

interface Target {
  readonly path: string
  /** Text by which people find the entry of the act. */
  readonly named: RegExp
  /** Whether anything of it is missing. */
  isTouched(call: Call): Promise<boolean>
}

/** A folder of two components with two streams of two samples. */
async function makeHall(call: Call, name: string) {
  const components: { uid: string; stream: { uid: string }[] }[] = []
  for (const at of [1, 2]) {
    const id = `${name}${at}`
    const stream = [{ id: 's1' }, { id: 's2' }]
    const component = { id, folder: `/Components/${name}/deep`, stream }
    components.push((await done(call('PUT', '/api/component', { component }))).component)
    const samples = ['s1', 's2'].flatMap((streamId) =>
      [1_000, 2_000].map((time) => ({ compId: id, streamId, data: 1, time })),
    )
    assert.equal((await call('PUT', '/api/feed', samples)).status, 200)
  }
  const listed = (await done(call('GET', '/api/component_folder?limit=1000'))).component_folder
  const path = `/Components/${name}`
  const folder = listed.find((one: { path: string }) => one.path === path)
  const stateOf = async (by: Call) => {
    const paths = [1, 2].map((at) => `/api/comp/${name}${at}/feed?retStreamId`)
    const uids = components.map(({ uid }) => `/api/component/${uid}`)
    const all = [...paths, ...uids, `/api/component_folder/${folder.uid}`]
    const texts: string[] = []
    for (const one of all) {
      const { status, body } = await by('GET', one)
      const { revision: _, ...record } = body?.component ?? { feed: body }
      texts.push(JSON.stringify([status, status === 200 ? record : '']))
    }
    return texts.join('\n')
  }
  const before = await stateOf(call)
  const isTouched = async (by: Call) => (await stateOf(by)) !== before
  return { components, folder, isTouched }
}

type MakeTarget = (call: Call, name: string) => Promise<Target>

const targets: Readonly<Record<string, MakeTarget>> = {
  samples: async (call, name) => {
    const { isTouched } = await makeHall(call, name)
    const path = `/api/comp/${name}1/stream/s1/feed?sd=1000&ed=1500`
    return { path, named: new RegExp(`samples_deleted.*${name}1.* / .*s1.*, sd 1000`), isTouched }
  },
  stream: async (call, name) => {
    const { components, isTouched } = await makeHall(call, name)
    const [{ uid, stream }] = components
    const path = `/api/component/${uid}/stream/${stream[0].uid}`
    return { path, named: new RegExp(`stream_deleted.*${name}1.* / .*s1`), isTouched }
  },
  component: async (call, name) => {
    const { components, isTouched } = await makeHall(call, name)
    const path = `/api/component/${components[0].uid}`
    return { path, named: new RegExp(`component_deleted.*"${name}1"`), isTouched }
  },
  folder: async (call, name) => {
    const { folder, isTouched } = await makeHall(call, name)
    const path = `/api/component_folder/${folder.uid}`
    return { path, named: new RegExp(`folder_deleted.*${name} with 2 components`), isTouched }
  },
  organization: async (call, name) => {
    const made = await done(call('PUT', '/api/organization', { organization: { name } }))
    const { uid } = made.organization
    const inIt: Call = (method, path, body) =>
      call(method, `${path}${path.includes('?') ? '&' : '?'}org=${uid}`, body)
    const { isTouched } = await makeHall(inIt, name)
    const isGone = (by: Call) =>
      isTouched((method, path, body) =>
        by(method, `${path}${path.includes('?') ? '&' : '?'}org=${uid}`, body),
      )
    const path = `/api/organization/${uid}?org=${uid}`
    return { path, named: new RegExp(`organization_deleted.*${uid}.*"${name}"`), isTouched: isGone }
  },
}

/** Commits of the longest of these deletions are fewer. */
const COMMITS_MAX = 60

for (const [what, makeTarget] of Object.entries(targets)) {
  test(`the deletion of ${what} is nowhere cut short without an entry in the audit log`, () =>
    withService(async ({ owner, cut, again }) => {
      let isWhole = false
      for (let commits = 0; commits < COMMITS_MAX && !isWhole; commits += 1) {
        const target = await makeTarget(owner, `${what}-${commits}-`)
        cut.left = commits
        isWhole = (await owner('DELETE', target.path)).status === 200
        const call = await again()
        const acts = (await done(call('GET', '/api/audit?limit=1000'))).audit
        const isTold = acts.some((act: object) => target.named.test(JSON.stringify(act)))
        const isTouched = await target.isTouched(call)
        assert.ok(isTold || !isTouched, `deleted and not told after ${commits} commits`)
        if (isWhole) assert.ok(isTold && isTouched)
      }
      assert.ok(isWhole, 'never came to its end')
    }))
}

test('a changed password is nowhere cut short with sessions or grants of the old one left', () =>
  withService(async ({ service, owner, cut, again }) => {
    const org_user = { email: 'changing@example.com', password: 'the first long sentence' }
    const made = await done(owner('PUT', '/api/org_user', { org_user }))
    const path = `/api/org_user/${made.org_user.uid}`
    let { password } = org_user
    let isWhole = false
    for (let commits = 0; commits < COMMITS_MAX && !isWhole; commits += 1) {
      const session = await signIn(service, org_user.email, password)
      const token = await tokenOf(service, { ...org_user, password })
      const next = `sentence number ${commits} of many`
      cut.left = commits
      const change = { org_user: { password: next } }
      isWhole = (await owner('POST', path, change)).status === 200
      await again()
      const login = caller(service, '')
      const entered = await login('POST', '/api/login', { ...org_user, password: next })
      if (entered.status !== 200) continue
      password = next
      for (const cookie of [session, `session=${token}`]) {
        const { status } = await caller(service, cookie)('GET', '/api/organization')
        assert.equal(status, 401, `${cookie.slice(0, 12)} still opens after ${commits} commits`)
      }
    }
    assert.ok(isWhole, 'never came to its end')
  }))

/** An access token of a user for some client. */
async function tokenOf(
  service: Service,
  { email, password }: { readonly email: string; readonly password: string },
): Promise<string> {
  const call = caller(service, '')
  const asked = { email, password, client_id: 'c1', response_type: 'code' }
  const { oauthCode: code } = await done(call('POST', '/api/oauth_login', asked))
  const exchange = { grant_type: 'authorization_code', client_id: 'c1', code }
  return (await done(call('POST', '/api/oauth_access_token', exchange))).access_token
}
