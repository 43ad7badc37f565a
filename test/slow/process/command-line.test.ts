import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { caller, signIn } from '../../support/caller.ts'
import { childEnv } from '../../support/child-env.ts'
import { COMMAND_FILE } from '../../support/program.ts'
import { startService } from '../../support/service.ts'
import { serviceOfFile } from '../../support/service-of-file.ts'
import { type CommandOutcome, runWeir } from '../../support/weir-command.ts'

const service = serviceOfFile()

async function weir(
  words: readonly string[],
  { dataDir = service.dataDir, input }: { dataDir?: string; input?: string } = {},
): Promise<CommandOutcome> {
  if (input === undefined) return await runWeir(dataDir, ...words)
  const env = { ...childEnv, WEIR_DATA_DIR: dataDir }
  const { promise, resolve } = Promise.withResolvers<CommandOutcome>()
  const child = execFile(process.execPath, [COMMAND_FILE, ...words], { env }, (error, out, err) =>
    resolve({ code: error === null ? 0 : Number(error.code), out, err }),
  )
  child.stdin?.end(input)
  return await promise
}

async function weirJson(words: readonly string[], input?: string) {
  const { code, out, err } = await weir([...words, '--json'], { input })
  assert.equal(err, '')
  return { exitCode: code, ...JSON.parse(out) }
}

test('keys are added, listed and revoked while the service runs', async () => {
  const added = await weirJson(['key', 'add', 'From the shell', '--capability', 'organization=GET'])
  assert.equal(added.success, true)
  const call = caller(service, `api_key=${added.result.secret}`)
  assert.equal((await call('GET', '/api/organization')).status, 200)
  const listed = await weirJson(['key', 'list'])
  const found = listed.result.find((key: { uid: string }) => key.uid === added.result.uid)
  assert.deepEqual(found.capabilities, ['organization=GET'])
  assert.equal((await weirJson(['key', 'revoke', added.result.uid])).success, true)
  assert.equal((await call('GET', '/api/organization')).status, 401)
  const again = await weirJson(['key', 'revoke', added.result.uid])
  assert.equal(again.exitCode, 1)
  assert.equal(again.success, false)
  assert.match(again.message, /Cannot find key/)
})

test('users are added, and a reset password ends their sessions', async () => {
  const added = await weirJson(['user', 'add', 'shell@example.com', '--role', 'ADMIN'])
  const session = await signIn(service, 'shell@example.com', added.result.password)
  const call = caller(service, session)
  assert.equal((await call('GET', '/api/audit')).status, 200)
  const reset = await weirJson(
    ['user', 'reset-password', 'shell@example.com', '--password', '-'],
    'typed on standard input\n',
  )
  assert.equal(reset.success, true)
  assert.equal(reset.result.password, undefined, 'what was given is not repeated')
  assert.equal((await call('GET', '/api/audit')).status, 401)
  await signIn(service, 'shell@example.com', 'typed on standard input')
})

test('a password that was made up is printed, one that was given is not', async () => {
  const add = (email: string, ...more: string[]) => weirJson(['user', 'add', email, ...more])
  assert.match((await add('made@example.com')).result.password, /^[0-9a-f-]{36}$/)
  const given = await add('given@example.com', '--password', 'correct horse battery')
  assert.equal(given.success, true)
  assert.equal(given.result.password, undefined)
  await signIn(service, 'given@example.com', 'correct horse battery')
})

test('organizations are added and listed, and --org is asked for once there are two', async () => {
  const words = ['org', 'add', 'Second', '--owner-email', service.ownerEmail]
  const added = await weirJson(words)
  assert.equal(added.success, true)
  assert.equal(added.result.ownerPassword, undefined)
  const listed = await weirJson(['org', 'list'])
  assert.deepEqual(
    listed.result.map(({ name }: { name: string }) => name),
    ['My organization', 'Second'],
  )
  const unclear = await weirJson(['key', 'list'])
  assert.match(unclear.message, /--org/)
  const clear = await weirJson(['key', 'list', '--org', added.result.uid])
  assert.equal(clear.result[0].name, 'Feed key')
})

test('a password for an account that exists is refused, not ignored', async () => {
  const email = 'twice@example.com'
  const first = await weirJson(['user', 'add', email, '--org', service.orgUid])
  const [, second] = (await weirJson(['org', 'list'])).result
  assert.notEqual(second.uid, service.orgUid)
  const again = ['user', 'add', email, '--org', second.uid]
  const refused = await weirJson([...again, '--password', 'another password'])
  assert.equal(refused.exitCode, 1)
  assert.match(refused.message, /already has an account with a password/)
  const words = ['org', 'add', 'Planted', '--owner-email', email]
  const owned = await weirJson([...words, '--owner-password', 'another password'])
  assert.match(owned.message, /already has an account with a password/)
  const added = await weirJson(again)
  assert.equal(added.result.uid, first.result.uid)
  assert.equal(added.result.password, undefined)
  await signIn(service, email, first.result.password)
  const listed = (await weirJson(['org', 'list'])).result
  assert.ok(!listed.some(({ name }: { name: string }) => name === 'Planted'))
})

test('text output is for people, mistakes name what to write', async () => {
  const help = await weir(['help'])
  assert.equal(help.code, 0)
  assert.match(help.out, /key revoke/)
  const list = await weir(['org', 'list'])
  assert.match(list.out, /^uid +[0-9a-f-]{36}\nname +My organization/)
  const check = async (words: readonly string[], code: number, expected: RegExp) => {
    const outcome = await weir(words)
    assert.equal(outcome.code, code, words.join(' '))
    assert.match(outcome.err, expected)
  }
  await check(['fly'], 64, /Unknown command "fly"/)
  await check(['user', 'add', 'x', '--age', '5'], 64, /user add has no option --age/)
  await check(['user', 'add'], 64, /needs an email address/)
  await check(['user', 'reset-password', 'no-mail'], 1, /--email must be an email address/)
})

test('with --json mistakes and refusals are one line, too', async () => {
  const check = async (words: readonly string[], exit: number, message: RegExp, code: string) => {
    const { code: exitCode, out, err } = await weir([...words, '--json'])
    assert.deepEqual([exitCode, err], [exit, ''], words.join(' '))
    const { success, ...output } = JSON.parse(out)
    assert.deepEqual([success, output.code], [false, code])
    assert.match(output.message, message)
  }
  await check(['fly'], 64, /Unknown command "fly"/, 'bad_input')
  await check(['backup'], 64, /needs one folder/, 'bad_input')
  await check(['key', 'revoke', 'a', 'b'], 64, /unexpected/, 'bad_input')
  await check(
    ['restore', '/no/such/backup', '--to', '/no/such/folder'],
    1,
    /no backup/,
    'not_found',
  )
})

test('without a running service the command opens the data folder itself', async () => {
  await service.app.close()
  const listed = await weirJson(['org', 'list'])
  assert.equal(listed.result.length, 2)
  const added = await weirJson(['key', 'add', 'Offline', '--org', service.orgUid])
  await service.restart()
  const call = caller(service, `api_key=${added.result.secret}`)
  assert.equal((await call('GET', '/api/organization')).status, 403)
  const nowhere = join(tmpdir(), 'weir-there-is-no-such-folder')
  const missing = await weir(['org', 'list'], { dataDir: nowhere })
  assert.equal(missing.code, 1)
  assert.match(missing.err, /Cannot find the data folder/)
})

test('a data folder with a very long path can be commanded too', async () => {
  const deep = join(mkdtempSync(join(tmpdir(), 'weir-deep-')), 'x'.repeat(120))
  const other = await startService({ settings: { WEIR_DATA_DIR: deep } })
  const { code, out } = await weir(['org', 'list', '--json'], { dataDir: deep })
  assert.equal(code, 0)
  assert.equal(JSON.parse(out).result[0].uid, other.orgUid)
  await other.close()
  rmSync(join(deep, '..'), { recursive: true })
})
