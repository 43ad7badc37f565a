import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { Capabilities, keyPrincipal, userPrincipal } from '../../src/access/index.ts'
import {
  type ActingCaller,
  addUser,
  changeKey,
  changeOAuthClient,
  changeOrganization,
  changeUser,
  createOrganization,
  getKey,
  getOAuthClient,
  getUser,
  insertKey,
  insertOAuthClient,
  insertOrganization,
  listAudit,
  listKeys,
  listOAuthClients,
  listOrganizations,
  listUsers,
  makeKey,
  makeOAuthClient,
  makeOrganization,
  makeUser,
  type OrgUser,
  removeOAuthClient,
  removeUser,
  renewOAuthClientSecret,
  revealKey,
  revokeKey,
  runCommand,
} from '../../src/auth/administer/index.ts'
import { type Identity, openIdentity, SecretBox } from '../../src/auth/index.ts'
import { BearerCache, type OAuthBase } from '../../src/auth/oauth/index.ts'
import { createLog, ManualClock, Refusal, readRateFigures } from '../../src/base/index.ts'
import { openCatalogStore } from '../../src/store/embedded/index.ts'
import { type CatalogStore, type CatalogWrite, withCommitListener } from '../../src/store/index.ts'

const PASSWORD = 'a long enough password'
const clock = new ManualClock(Date.UTC(2026, 0, 15))
const commits: (readonly CatalogWrite[])[] = []
let folder: string
let store: CatalogStore
let identity: Identity
let oauth: OAuthBase
let owner: ActingCaller

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weir-administer-'))
  const plain = await openCatalogStore({ folder, clock })
  store = withCommitListener(plain, (writes) => commits.push(writes))
  const settings = {
    mode: 'open',
    accessTokenSeconds: 86_400,
    refreshTokenSeconds: 864_000,
  } as const
  oauth = { store, clock, settings }
  identity = await openIdentity({
    store,
    clock,
    oauth,
    rateFigures: readRateFigures('off'),
    log: createLog({ level: 'silent' }),
    bearers: new BearerCache(oauth),
    box: new SecretBox(Buffer.alloc(32, 7)),
  })
  const made = await createOrganization(identity, {
    name: 'One',
    ownerEmail: 'o@example.com',
    ownerTimeZone: 'UTC',
    actor: 'test',
    ownerPassword: PASSWORD,
  })
  const { uid: orgUid } = made.organization
  const principal = userPrincipal({ orgUid, userUid: made.owner.uid, role: 'OWNER' })
  owner = { principal, address: '192.0.2.9', password: PASSWORD }
})
after(async () => {
  await identity.close()
  await store.close()
  await rm(folder, { recursive: true, force: true })
})

function uidOf({ user, invitation }: OrgUser): string {
  return (user ?? invitation).uid
}

/** Runs an act and returns the acts that its commit logged. */
async function actsOf<T>(act: () => Promise<T>): Promise<{ acts: string[]; result: T }> {
  commits.length = 0
  const result = await act()
  const written = commits.filter((writes) => writes.some(({ kind }) => kind === 'audit'))
  assert.equal(written.length, 1, 'one commit with the audit entry')
  assert.equal(commits[0], written[0], 'nothing is written before it')
  const acts = written[0].flatMap((write) =>
    write.kind === 'audit' && write.op === 'put' ? [String(write.body.act)] : [],
  )
  assert.ok(written[0].length > acts.length || acts[0] === 'key_revealed', 'the act is in it')
  return { acts, result }
}

test('each act on keys, users, organizations and clients is one commit with its audit entry', async () => {
  const capabilities = [{ resource: 'unit', methods: ['GET'] as const }]
  const made = await actsOf(() => insertKey(identity, owner, { name: 'k', capabilities }))
  assert.deepEqual(made.acts, ['key_created'])
  const { uid } = made.result.key
  const changed = await actsOf(() => changeKey(identity, owner, uid, { description: 'd' }))
  assert.deepEqual(changed.acts, ['key_updated'])
  assert.equal(changed.result.description, 'd')
  assert.deepEqual((await actsOf(() => revealKey(identity, owner, uid))).acts, ['key_revealed'])
  assert.deepEqual((await actsOf(() => revokeKey(identity, owner, uid))).acts, ['key_revoked'])

  const wanted = { email: 'u@example.com', firstName: '', lastName: '', timeZone: 'UTC' }
  const password = PASSWORD
  const added = await actsOf(() => addUser(identity, owner, { ...wanted, role: 'OWNER', password }))
  assert.deepEqual(added.acts, ['user_added'])
  const userUid = uidOf(added.result)
  const acts = await actsOf(() =>
    changeUser(identity, owner, userUid, { role: 'MEMBER', firstName: 'Ada' }),
  )
  assert.deepEqual(acts.acts, ['role_changed', 'user_updated'])
  const removed = await actsOf(() => removeUser(identity, owner, userUid))
  assert.deepEqual(removed.acts, ['user_removed'])

  const { orgUid } = owner.principal
  const named = await actsOf(() => changeOrganization(identity, owner, orgUid, { name: 'Two' }))
  assert.deepEqual(named.acts, ['organization_updated'])
  const further = { name: 'Three', rateLimits: 'classic' }
  const opened = await actsOf(() => insertOrganization(identity, owner, further))
  assert.deepEqual(opened.acts, ['organization_created'])
  assert.equal(opened.result.rateLimits, 'classic')

  const parts = { oauth, identity }
  const fields = { name: 'Dashboard', redirectUris: ['https://client.example/cb'] }
  const client = await actsOf(() => insertOAuthClient(parts, owner, fields))
  assert.deepEqual(client.acts, ['client_created'])
  const clientUid = client.result.client.uid
  const steps = [
    () => changeOAuthClient(parts, owner, clientUid, { name: 'Board' }),
    () => renewOAuthClientSecret(parts, owner, clientUid),
    () => removeOAuthClient(parts, owner, clientUid),
  ]
  const reported: string[] = []
  for (const step of steps) reported.push(...(await actsOf<unknown>(step)).acts)
  assert.deepEqual(reported, ['client_updated', 'client_secret_renewed', 'client_deleted'])
})

test('the command line acts through the same use cases', async () => {
  const org = [owner.principal.orgUid]
  const run = (name: string, options: Record<string, string[]>) =>
    actsOf(() => runCommand(identity, { name, options }))
  const { acts, result } = await run('key add', { org, name: ['by hand'] })
  assert.deepEqual(acts, ['key_created'])
  const { uid } = result as { uid: string }
  assert.deepEqual((await run('key revoke', { uid: [uid] })).acts, ['key_revoked'])
  await run('user add', { org, email: ['cli@example.com'] })
  const reset = await run('user reset-password', { email: ['cli@example.com'] })
  assert.deepEqual(reset.acts, ['password_changed'])
})

test('of two owners who step down at once one stays', async () => {
  const wanted = { email: 'twin@example.com', firstName: '', lastName: '', timeZone: 'UTC' }
  const password = PASSWORD
  const twinUid = uidOf(await addUser(identity, owner, { ...wanted, role: 'OWNER', password }))
  const { orgUid, actor } = owner.principal
  assert.ok(actor.kind === 'user')
  const asTwin = userPrincipal({ orgUid, userUid: twinUid, role: 'OWNER' })
  const down = { role: 'ADMIN' } as const
  const results = await Promise.allSettled([
    changeUser(identity, owner, actor.userUid, down),
    changeUser(identity, { principal: asTwin, address: '', password }, twinUid, down),
  ])
  assert.deepEqual(results.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
})

test('every use case refuses a caller without its capability and writes nothing', async () => {
  const none = new Capabilities([{ resource: 'component/*/feed', methods: ['GET'] }])
  const { orgUid } = owner.principal
  const by: ActingCaller = {
    principal: keyPrincipal({ orgUid, keyUid: 'k', capabilities: none }),
    address: '',
  }
  const page = { start: 0, limit: 10 }
  const parts = { oauth, identity }
  const user = { email: 'x@example.com', firstName: '', lastName: '', timeZone: 'UTC' }
  const useCases: Record<string, () => unknown> = {
    listKeys: () => listKeys(identity, by, page),
    makeKey: () => makeKey(by),
    getKey: () => getKey(identity, by, 'u'),
    insertKey: () => insertKey(identity, by, { name: 'n' }),
    changeKey: () => changeKey(identity, by, 'u', {}),
    revealKey: () => revealKey(identity, by, 'u'),
    revokeKey: () => revokeKey(identity, by, 'u'),
    listUsers: () => listUsers(identity, by, page),
    makeUser: () => makeUser(by),
    getUser: () => getUser(identity, by, 'u'),
    addUser: () => addUser(identity, by, { ...user, role: 'GUEST', password: 'long enough' }),
    changeUser: () => changeUser(identity, by, 'u', { firstName: 'x' }),
    removeUser: () => removeUser(identity, by, 'u'),
    listOrganizations: () => listOrganizations(identity, by, page),
    makeOrganization: () => makeOrganization(by),
    insertOrganization: () => insertOrganization(identity, by, { name: 'n' }),
    changeOrganization: () => changeOrganization(identity, by, orgUid, { name: 'n' }),
    listAudit: () => listAudit(identity, by, page),
    listOAuthClients: () => listOAuthClients(parts, by, page),
    makeOAuthClient: () => makeOAuthClient(by),
    getOAuthClient: () => getOAuthClient(parts, by, 'u'),
    insertOAuthClient: () => insertOAuthClient(parts, by, { name: 'n' }),
    changeOAuthClient: () => changeOAuthClient(parts, by, 'u', {}),
    renewOAuthClientSecret: () => renewOAuthClientSecret(parts, by, 'u'),
    removeOAuthClient: () => removeOAuthClient(parts, by, 'u'),
  }
  commits.length = 0
  for (const [name, useCase] of Object.entries(useCases)) {
    const isForbidden = (error: unknown) => error instanceof Refusal && error.code === 'forbidden'
    await assert.rejects(async () => useCase(), isForbidden, name)
  }
  assert.equal(commits.length, 0)
})
