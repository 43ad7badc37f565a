/** Of an organization that is deleted nothing is left, whatever was under way. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type CatalogStore, withCommit } from '../../../src/store/index.ts'
import { type Call, caller, signIn } from '../../support/caller.ts'
import { type BegunCall, beginCall, type PartedCall } from '../../support/parted-call.ts'
import { type Service, startService } from '../../support/service.ts'

const EVERYTHING = [{ resource: '*', methods: ['GET', 'PUT', 'POST', 'DELETE'] }]
const PASSWORD = 'the first long sentence'

type Commit = CatalogStore['commit']

interface World {
  readonly service: Service
  readonly owner: Call
  /** The catalog below all checks. */
  readonly store: () => CatalogStore
  /** Stands between the service and its catalog. */
  between: (commit: Commit) => Commit
}

async function start(t: TestContext): Promise<World> {
  let below: CatalogStore | undefined
  const callerCheck = { between: passing }
  const store = () => {
    assert.ok(below !== undefined)
    return below
  }
  const wrapCatalog = (plain: CatalogStore) => {
    below = plain
    return withCommit(plain, (...given) =>
      callerCheck.between((...all) => plain.commit(...all))(...given),
    )
  }
  const service = await startService({ wrapCatalog, settings: { WEIR_QUOTAS: 'off' } })
  t.after(() => service.close())
  const cookie = await signIn(service, service.ownerEmail, service.ownerPassword)
  const proof = { 'Weir-Password': service.ownerPassword }
  const owner: Call = (...call) => caller(service, cookie, proof)(...call)
  return Object.assign(callerCheck, { service, owner, store })
}

const passing = (commit: Commit): Commit => commit

async function done(call: Call, ...[method, path, body]: Parameters<Call>) {
  const answer = await call(method, path, body)
  assert.equal(answer.status, 200, `${method} ${path}: ${answer.text}`)
  return answer.body
}

/** An organization with an administrator, a key, a component, and an invitation to somebody else. */
async function makeDoomed({ service, owner }: World, name: string) {
  const { uid } = (await done(owner, 'PUT', '/api/organization', { organization: { name } }))
    .organization
  const org_user = { email: `${name}@doomed.example`, role: 'ADMIN', password: PASSWORD }
  const added = await done(owner, 'PUT', `/api/org_user?org=${uid}`, { org_user })
  const api_key = { name: 'k', capabilities: EVERYTHING }
  const key = (await done(owner, 'PUT', `/api/api_key?org=${uid}`, { api_key })).api_key.secretKey
  const guest = { email: `${name}@elsewhere.example`, role: 'MEMBER', password: PASSWORD }
  await done(owner, 'PUT', '/api/org_user', { org_user: guest })
  const invited = { org_user: { email: guest.email, role: 'MEMBER' } }
  await done(owner, 'PUT', `/api/org_user?org=${uid}`, invited)
  const session = await signIn(service, org_user.email, PASSWORD)
  const guestSession = await signIn(service, guest.email, PASSWORD)
  const { invitation } = await done(caller(service, guestSession), 'GET', '/api/invitation')
  await done(caller(service, '', { 'X-Api-Key': key }), 'PUT', '/api/feed?compId=c&a=1')
  return {
    uid,
    key,
    session,
    userUid: added.org_user.uid,
    email: org_user.email,
    guestSession,
    invitationUid: invitation[0].uid,
  }
}

type Doomed = Awaited<ReturnType<typeof makeDoomed>>

function actsIn(doomed: Doomed): Record<string, PartedCall> {
  const byUser = { Cookie: doomed.session }
  const byKey = { 'X-Api-Key': doomed.key }
  const put = (path: string, body: object | string, headers: Record<string, string>) => ({
    method: 'PUT',
    path,
    body,
    headers,
  })
  const change = (path: string, body: object, headers: Record<string, string>) => ({
    method: 'POST',
    path,
    body,
    headers,
  })
  const ghost = { email: 'ghost@doomed.example', role: 'ADMIN', password: PASSWORD }
  const client = { name: 'ghost', type: 'public', redirectUris: ['https://a.example/'] }
  const sample = (compId: string) => [{ compId, streamId: 'a', data: 1 }]
  return {
    user: put('/api/org_user', { org_user: ghost }, byUser),
    invitation: put('/api/org_user', { org_user: { email: 'owner@x', role: 'GUEST' } }, byUser),
    key: put('/api/api_key', { api_key: { name: 'g', capabilities: EVERYTHING } }, byUser),
    unit: put('/api/unit', { unit: { id: 'ghost', name: 'ghost' } }, byUser),
    component: put('/api/component', { component: { id: 'ghost' } }, byUser),
    client: put('/api/oauth_client', { oauth_client: client }, byUser),
    organization: put('/api/organization', { organization: { name: 'from a ghost' } }, byUser),
    'second factor': put('/api/second_factor', { currentPassword: PASSWORD }, byUser),
    'own name': change(`/api/org_user/${doomed.userUid}`, { org_user: { firstName: 'G' } }, byUser),
    'own organization': change(
      `/api/organization/${doomed.uid}`,
      { organization: { name: 'G' } },
      byUser,
    ),
    acceptance: change(
      `/api/invitation/${doomed.invitationUid}`,
      { accept: true },
      {
        Cookie: doomed.guestSession,
      },
    ),
    'feed to a new component': put('/api/feed', sample('ghost2'), byKey),
    'feed to an old component': put('/api/feed', sample('c'), byKey),
    'file in a new component': put('/api/comp/ghost3/stream/f/feed/file/x', 'xxxx', byKey),
    'file in an old component': put('/api/comp/c/stream/f/feed/file/x', 'xxxx', byKey),
    property: change('/api/comp/c/property', [{ component: { name: 'g' } }], byKey),
    login: change('/api/login', { email: doomed.email, password: PASSWORD }, {}),
  }
}

/** What the catalog has of an organization, and what of users and keys is on its way into it. */
async function leftOf({ store }: World, orgUid: string): Promise<unknown[]> {
  const usage = (await store().usage(orgUid)).filter(({ documents }) => documents > 0)
  const found: unknown[] = [...usage]
  for (const kind of ['user', 'organization', 'invitation_of', 'api_key_secret', 'oauth_client']) {
    const { documents } = await store().list({ orgUid: '', kind, start: 0, limit: 1_000 })
    const isAbout = (one: { uid: string; parentUid: string; body: object }) =>
      JSON.stringify([one.uid, one.parentUid, one.body]).includes(orgUid) &&
      !('isDeleted' in one.body && one.body.isDeleted === true)
    found.push(...documents.filter(isAbout).map(({ uid }) => `${kind} ${uid}`))
  }
  return found
}

test('calls that began before an organization was deleted write nothing into it', async (t) => {
  const world = await start(t)
  const { service, owner } = world
  const doomed = await makeDoomed(world, 'begun')
  const begun: { readonly act: string; readonly call: BegunCall }[] = []
  for (const [act, call] of Object.entries(actsIn(doomed))) {
    begun.push({ act, call: await beginCall(service.port, call) })
  }
  await done(owner, 'DELETE', `/api/organization/${doomed.uid}?org=${doomed.uid}`)
  assert.deepEqual(await leftOf(world, doomed.uid), [])
  for (const { act, call } of begun) {
    const { status, text } = await call.finish()
    assert.ok([401, 403, 404].includes(status), `${act}: ${text}`)
  }
  assert.deepEqual(await leftOf(world, doomed.uid), [])
  const { organization } = await done(owner, 'GET', '/api/organization')
  assert.equal(organization.length, 1, 'none was made by a ghost either')
  const metrics = await (await fetch(`${service.url}/metrics`)).text()
  assert.match(metrics, /^weir_components 0$/m)
  await service.restart()
  assert.deepEqual(await leftOf(world, doomed.uid), [])
})

test('what a commit under way adds to an organization is deleted with it', async (t) => {
  const world = await start(t)
  const { service, owner } = world
  const doomed = await makeDoomed(world, 'adding')
  const reached = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  world.between = (commit) => async (writes, lease, limits) => {
    const isMark = writes.some(({ kind, uid }) => kind === 'organization' && uid === doomed.uid)
    if (writes.some(({ op, kind }) => op === 'create' && kind === 'component')) {
      reached.resolve()
      await released.promise
    }
    const made = await commit(writes, lease, limits)
    if (isMark) released.resolve()
    return made
  }
  const byKey = caller(service, '', { 'X-Api-Key': doomed.key })
  const adding = byKey('PUT', '/api/feed?compId=late&a=1')
  await reached.promise
  await done(owner, 'DELETE', `/api/organization/${doomed.uid}?org=${doomed.uid}`)
  assert.deepEqual(await leftOf(world, doomed.uid), [])
  await adding
  assert.deepEqual(await leftOf(world, doomed.uid), [])
})

test('credentials of an organization end before the first thing below it goes', async (t) => {
  const world = await start(t)
  const { service, owner } = world
  const doomed = await makeDoomed(world, 'ending')
  const answers: number[] = []
  world.between = (commit) => async (writes, lease, limits) => {
    const isOfIt = writes.every(({ op, orgUid }) => op === 'delete' && orgUid === doomed.uid)
    if (isOfIt && answers.length < 4) {
      const ways = [
        caller(service, '', { 'X-Api-Key': doomed.key }),
        caller(service, `session=${doomed.session.slice(8)}`),
      ]
      for (const way of ways) answers.push((await way('GET', '/api/component')).status)
    }
    return await commit(writes, lease, limits)
  }
  await done(owner, 'DELETE', `/api/organization/${doomed.uid}?org=${doomed.uid}`)
  assert.ok(answers.length >= 2)
  assert.ok(
    answers.every((status) => status === 401 || status === 403),
    answers.join(' '),
  )
})

test('a deletion that is cut short at any commit is brought to its end by the next start', async (t) => {
  const world = await start(t)
  const { service } = world
  let isWhole = false
  for (let commits = 0; commits < 60 && !isWhole; commits += 2) {
    const doomed = await makeDoomed(world, `cut${commits}`)
    let left = commits
    world.between = (commit) => async (writes, lease, limits) => {
      if (left <= 0) throw new Error('cut off from the catalog')
      left -= 1
      return await commit(writes, lease, limits)
    }
    const path = `/api/organization/${doomed.uid}?org=${doomed.uid}`
    isWhole = (await world.owner('DELETE', path)).status === 200
    world.between = passing
    await service.restart()
    const { organization } = await done(world.owner, 'GET', '/api/organization')
    const isListed = organization.some(({ uid }: { uid: string }) => uid === doomed.uid)
    if (!isListed) assert.deepEqual(await leftOf(world, doomed.uid), [], `after ${commits}`)
    else await done(world.owner, 'DELETE', path)
    assert.ok(isListed || commits > 0)
  }
  assert.ok(isWhole, 'never came to its end')
})

test('of two organizations that are deleted at once one stays', async (t) => {
  const world = await start(t)
  const { service, owner } = world
  const { uid } = (await done(owner, 'PUT', '/api/organization', { organization: { name: 'B' } }))
    .organization
  const both = [uid, service.orgUid].map((one) =>
    owner('DELETE', `/api/organization/${one}?org=${one}`),
  )
  const statuses = (await Promise.all(both)).map(({ status }) => status)
  assert.deepEqual(statuses.toSorted(), [200, 409])
})
