import assert from 'node:assert/strict'
import { type ChildProcess, spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { gunzipSync, gzipSync } from 'node:zlib'
import { totpCode } from '../../../src/auth/proof/totp.ts'
import { BackupDamaged, restoreBackup } from '../../../src/store/embedded/index.ts'
import { caller, signIn } from '../../support/caller.ts'
import { type ChildService, startChildService } from '../../support/child-service.ts'
import { callApi, getJson, putFile } from '../../support/file-client.ts'
import { SERVICE_FILE } from '../../support/program.ts'
import { startServiceOn } from '../../support/service-on.ts'
import { sharedProcess } from '../../support/shared-process.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import {
  type CommandOutcome,
  type RunningCommand,
  runWeir,
  startWeir,
} from '../../support/weir-command.ts'

const feedKey = '11111111-2222-3333-4444-555555555555'
const PASSWORD = 'correct horse battery'
const EMAIL = 'owner@localhost'
const settings = {
  WEIR_FEED_KEY: feedKey,
  WEIR_OWNER_PASSWORD: PASSWORD,
  WEIR_RATE_LIMITS: 'off',
  // Short segments, so that some are sealed while a backup runs.
  WEIR_MEMORY_MB: '600',
}

/** A service that a test calls. */
interface Served {
  readonly url: string
  readonly feedKey: string
}

/** A service over a data folder, in this process. */
async function serve(t: TestContext, dataDir: string): Promise<Served & { stop(): Promise<void> }> {
  const { url, close } = await startServiceOn(dataDir, settings)
  t.after(close)
  return { url, feedKey, stop: close }
}

/** A service over a data folder that can be killed. */
async function serveInChild(t: TestContext, dataDir: string): Promise<Served & ChildService> {
  const service = await startChildService(dataDir, settings)
  t.after(() => service.kill())
  return { ...service, feedKey }
}

async function putSample(service: Served, component: string, time: number): Promise<void> {
  const body = ['a', 'b'].map((streamId) => ({ compId: component, streamId, time, data: time }))
  const answer = await callApi(service, '/feed', { method: 'PUT', body: JSON.stringify(body) })
  assert.equal(answer.status, 200, await answer.text())
}

async function timesOf(service: Served, component: string, stream: string): Promise<number[]> {
  const path = `/comp/${component}/stream/${stream}/feed?limit=100000&sd=0&ed=9000000000000`
  const answer = await callApi(service, path)
  if (answer.status === 404) return []
  const rows = (await answer.json()) as Array<{ time: number }>
  return rows.map(({ time }) => time).sort((one, other) => one - other)
}

const bodyOf = (time: number) => `file ${time} `.repeat(1_000)

test('a backup under load holds all that was answered before it, and nothing half', async (t) => {
  const home = temporaryFolder()
  const service = await serve(t, join(home, 'data'))
  const owner = caller(service, await signIn(service, EMAIL, PASSWORD))
  const work = { samples: 0, files: 0, deleted: 0, isOver: false }
  const base = Date.UTC(2026, 0, 1)
  const putting = async () => {
    for (; !work.isOver; work.samples += 1) await putSample(service, 'steady', base + work.samples)
  }
  const filling = async () => {
    for (let call = 0; !work.isOver; call += 1) {
      const data = (at: number) => ({
        compId: `bulk${call % 7}`,
        streamId: 's',
        time: base + call * 5_000 + at,
        data: at,
      })
      const body = JSON.stringify(Array.from({ length: 5_000 }, (_, at) => data(at)))
      const answer = await callApi(service, '/feed', { method: 'PUT', body })
      assert.equal(answer.status, 200)
      await answer.text()
    }
  }
  const uploading = async () => {
    for (; !work.isOver; work.files += 1) {
      const time = base + work.files
      await putFile(service, `/comp/papers/stream/f/feed/file/n.txt?time=${time}`, bodyOf(time))
      // The one before the last goes, so that bodies are deleted all the time.
      const gone = base + work.files - 2
      const path = `/api/comp/papers/stream/f/feed?sd=${gone}&ed=${gone + 1}`
      if (work.files > 2) assert.equal((await owner('DELETE', path)).status, 200)
    }
  }
  const deleting = async () => {
    for (; !work.isOver; work.deleted += 1) {
      await putSample(service, `gone${work.deleted}`, base)
      const list = await owner('GET', '/api/component?start=0&limit=1000')
      const found = list.body.component.find(
        ({ id }: { id: string }) => id === `gone${work.deleted}`,
      )
      assert.equal((await owner('DELETE', `/api/component/${found.uid}`)).status, 200)
    }
  }
  const workloads = Promise.all([putting(), filling(), uploading(), deleting()]).finally(() => {
    work.isOver = true
  })
  while (!work.isOver && (work.samples < 20 || work.files < 6 || work.deleted < 2)) await wait(1)
  const before = { ...work }
  const target = join(home, 'backup.tar.zst')
  const made = await runWeir(join(home, 'data'), 'backup', target, '--with-key', '--json')
  work.isOver = true
  await workloads
  assert.equal(made.code, 0, made.err)
  const { result } = JSON.parse(made.out) as { result: { key: string } }
  assert.match(result.key, /The backup includes secret\.key. Anyone who can read it/)
  await service.stop()
  const restored = await runWeir(join(home, 'again'), 'restore', target)
  assert.equal(restored.code, 0, restored.err)
  assert.match(restored.out, /secret\.key was restored from the backup/)
  const again = await serve(t, join(home, 'again'))
  const times = await timesOf(again, 'steady', 'a')
  assert.ok(times.length >= before.samples, `${times.length} of ${before.samples}`)
  assert.deepEqual(
    times,
    Array.from(times, (_, at) => base + at),
  )
  assert.deepEqual(await timesOf(again, 'steady', 'b'), times)
  const files = (await getJson(
    again,
    `/comp/papers/stream/f/feed?sd=0&ed=9000000000000`,
  )) as Array<{ time: number }>
  assert.ok(Math.max(...files.map(({ time }) => time)) >= base + before.files - 1)
  for (const { time } of files) {
    const answer = await callApi(again, `/comp/papers/stream/f/feed/file/${time}/n.txt`)
    assert.equal(await answer.text(), bodyOf(time))
  }
  const check = await runWeir(join(home, 'again'), 'check')
  assert.equal(check.code, 0, check.out)
  t.diagnostic(`${times.length} puts, ${work.files} files, ${work.deleted} deleted components`)
})

test('a backup that does not check is refused with 65, and the folder left as it was', async (t) => {
  const home = temporaryFolder()
  const service = await serve(t, join(home, 'data'))
  for (let time = 1; time <= 50; time += 1) await putSample(service, 'c', 1e12 + time)
  await putFile(service, '/comp/c/stream/f/feed/file/n.txt', 'the body')
  await service.stop()
  const [folder, archive] = [join(home, 'backup'), join(home, 'backup.tar.gz')]
  for (const target of [folder, archive]) {
    const { code, err, out } = await runWeir(join(home, 'data'), 'backup', target)
    assert.equal(code, 0, err)
    assert.match(out, /The backup does not include secret\.key. Keep a copy/)
  }
  const to = join(home, 'to')
  fs.mkdirSync(to)
  let count = 0
  const refuses = async (change: (copy: string) => void, isArchive: boolean, expected: RegExp) => {
    count += 1
    const copy = join(home, `copy${count}${isArchive ? '.tar.gz' : ''}`)
    fs.cpSync(isArchive ? archive : folder, copy, { recursive: true })
    change(copy)
    const isTold = (error: unknown) =>
      error instanceof BackupDamaged && expected.test(error.message)
    await assert.rejects(restoreBackup({ from: copy, to, onProgress: () => {} }), isTold)
    assert.deepEqual(fs.readdirSync(to), [])
  }
  const flip = (path: string, at: number) => {
    const bytes = fs.readFileSync(path)
    bytes[at] ^= 1
    fs.writeFileSync(path, bytes)
  }
  const segment = fs.readdirSync(join(folder, 'journal')).find((name) => name.endsWith('.seg'))
  assert.ok(segment !== undefined)
  await refuses((copy) => flip(join(copy, 'samples.db'), 70_000), false, /samples\.db is damaged/)
  await refuses((copy) => flip(join(copy, 'journal', segment), 40), false, /journal.*is damaged/)
  await refuses((copy) => flip(join(copy, 'manifest.jsonl'), 120), false, /does not check/)
  await refuses((copy) => fs.truncateSync(join(copy, 'manifest.jsonl'), 200), false, /cut short/)
  await refuses(
    (copy) => fs.truncateSync(join(copy, 'catalog.db'), 8_192),
    false,
    /catalog\.db is cut/,
  )
  await refuses(
    (copy) => fs.rmSync(join(copy, 'files'), { recursive: true }),
    false,
    /files.*missing/,
  )
  await refuses((copy) => fs.rmSync(join(copy, 'manifest.jsonl')), false, /no backup of Weir/)
  await refuses((copy) => fs.mkdirSync(join(copy, 'partial')), false, /not written to its end/)
  await refuses((copy) => fs.truncateSync(copy, fs.statSync(copy).size - 200), true, /cut short/)
  await refuses((copy) => flip(copy, 2_000), true, /damaged/)
  await refuses((copy) => fs.writeFileSync(copy, 'something else'), true, /no backup of Weir/)
  const unpack = (copy: string) => gunzipSync(fs.readFileSync(copy))
  const whole = unpack(archive)
  await refuses(
    (copy) => fs.writeFileSync(copy, gzipSync(whole.subarray(0, whole.length >> 1))),
    true,
    /cut short/,
  )
  await refuses(
    (copy) =>
      fs.writeFileSync(
        copy,
        Buffer.from(whole.toString('latin1').replace('files/mark', '../../mark'), 'latin1'),
      ),
    true,
    /damaged|no backup/,
  )
  fs.writeFileSync(archive, whole.subarray(0, 5_000))
  const damaged = await runWeir(to, 'restore', archive)
  assert.match(
    damaged.err,
    /^Cannot restore .*backup\.tar\.gz: it is cut short\. Nothing was restored\n$/,
  )
  assert.equal(damaged.code, 65)
  const missing = await runWeir(to, 'restore', join(home, 'nowhere'))
  assert.equal(missing.code, 1)
  assert.match(missing.err, /There is no backup/)
  fs.writeFileSync(join(to, 'mine'), '')
  const filled = await runWeir(to, 'restore', archive)
  assert.equal(filled.code, 1)
  assert.match(filled.err, /is not empty/)
  const onTop = await runWeir(join(home, 'data'), 'backup', to)
  assert.equal(onTop.code, 1)
  assert.match(onTop.err, /is not empty/)
  const inside = await runWeir(join(home, 'data'), 'backup', join(home, 'data', 'backups', 'one'))
  assert.match(inside.err, /is inside the data folder/)
  assert.deepEqual(fs.readdirSync(to), ['mine'])
})

/** Waits until a command has begun to write, or is over. */
async function untilThere(path: string, running: RunningCommand): Promise<void> {
  let isOver = false
  void running.done.then(() => {
    isOver = true
  })
  while (!fs.existsSync(path) && !isOver) await wait(1)
}

/** Tries at most until a command is cut short before its end: it may be faster than who looks on. */
const TRIES_MAX = 50

/** Starts a command again until it was cut short once it had begun to write; answers how it ended then. */
async function cutShort(
  start: () => RunningCommand,
  at: { readonly marker: string; readonly cut: (child: ChildProcess) => void | Promise<void> },
  undo: () => void | Promise<void>,
): Promise<CommandOutcome> {
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const running = start()
    await untilThere(at.marker, running)
    await at.cut(running.child)
    const outcome = await running.done
    if (outcome.code !== 0) return outcome
    await undo()
  }
  assert.fail(`The command came to its end ${TRIES_MAX} times before it was cut short`)
}

test('kill -9 of a backup, or of the service under it, leaves no half backup and harms nobody', async (t) => {
  const home = temporaryFolder()
  const dataDir = join(home, 'data')
  let service = await serveInChild(t, dataDir)
  await putFile(service, '/comp/c/stream/f/feed/file/n.bin', new Uint8Array(32 << 20))
  await putSample(service, 'c', 1e12)
  const kill = (signal: NodeJS.Signals) => (child: ChildProcess) => void child.kill(signal)
  for (const name of ['backup', 'backup.tar']) {
    const target = join(home, name)
    const marker = name === 'backup' ? join(target, 'catalog.db') : join(`${target}.partial`, name)
    const start = () => startWeir(dataDir, ['backup', target])
    const undo = () => fs.rmSync(target, { recursive: true, force: true })
    await cutShort(start, { marker, cut: kill('SIGKILL') }, undo)
    if (name === 'backup') {
      const refused = await runWeir(join(home, 'to'), 'restore', target)
      assert.match(refused.err, /not written to its end/)
      assert.equal(refused.code, 65)
    } else assert.ok(!fs.existsSync(target))
    await putSample(service, 'c', 2e12)
    fs.rmSync(marker, { force: true })
    const output = await cutShort(start, { marker, cut: kill('SIGTERM') }, undo)
    assert.equal(output.code, 143, output.err)
    assert.deepEqual(
      fs.readdirSync(home).filter((one) => one !== 'data' && one !== 'backup'),
      [],
    )
    const { code, err } = await runWeir(dataDir, 'backup', target)
    assert.equal(code, 0, err)
    assert.ok(!fs.existsSync(`${target}.partial`))
    fs.rmSync(target, { recursive: true })
  }
  const target = join(home, 'backup')
  const { code, err } = await cutShort(
    () => startWeir(dataDir, ['backup', target]),
    { marker: join(target, 'catalog.db'), cut: () => service.kill() },
    async () => {
      fs.rmSync(target, { recursive: true })
      service = await serveInChild(t, dataDir)
    },
  )
  assert.notEqual(code, 0)
  assert.match(err, /The service stopped during the backup/)
  assert.ok(!fs.existsSync(target))
  const again = await serve(t, dataDir)
  assert.deepEqual(await timesOf(again, 'c', 'a'), [1e12, 2e12])
})

test('a restore that was killed is known as such: no service starts on it, and it can be done again', async (t) => {
  const home = temporaryFolder()
  const dataDir = join(home, 'data')
  const service = await serve(t, dataDir)
  await putFile(service, '/comp/c/stream/f/feed/file/n.bin', new Uint8Array(32 << 20))
  await service.stop()
  assert.equal((await runWeir(dataDir, 'backup', join(home, 'backup'))).code, 0)
  const to = join(home, 'to')
  await cutShort(
    () => startWeir(to, ['restore', join(home, 'backup')]),
    {
      marker: join(to, 'restoring', 'data', 'samples.db'),
      cut: (child) => void child.kill('SIGKILL'),
    },
    () => fs.rmSync(to, { recursive: true }),
  )
  const started = await sharedProcess.run({
    main: SERVICE_FILE,
    words: [],
    settings: { WEIR_DATA_DIR: to, WEIR_PORT: '0' },
  })
  assert.equal(started.code, 65)
  assert.match(started.err, /restore into .* was not finished: restore again/)
  const { code, err } = await runWeir(to, 'restore', join(home, 'backup'))
  assert.equal(code, 0, err)
  assert.ok(!fs.existsSync(join(to, 'restoring')))
  await (await serve(t, to)).stop()
})

test('a target without room exits with 74, and nothing stays there', async (t) => {
  const home = temporaryFolder()
  const disk = fs.mkdtempSync(join(tmpdir(), 'weir-backup-disk-'))
  t.after(() => {
    spawnSync('umount', ['-l', disk])
    fs.rmdirSync(disk)
  })
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', disk])
  if (mounted.status !== 0) return t.skip('no file system can be mounted here')
  const service = await serve(t, join(home, 'data'))
  await putFile(service, '/comp/c/stream/f/feed/file/n.bin', new Uint8Array(8 << 20).fill(7))
  for (const name of ['backup', 'backup.tar']) {
    const { code, err } = await runWeir(join(home, 'data'), 'backup', join(disk, name))
    assert.match(err, /^Backup failed. The incomplete backup was removed: .*(?:no space|full)/)
    assert.equal(code, 74)
    assert.deepEqual(fs.readdirSync(disk), [])
  }
  assert.equal((await runWeir(join(home, 'data'), 'backup', join(home, 'backup'))).code, 0)
  const { code } = await runWeir(join(disk, 'data'), 'restore', join(home, 'backup'))
  assert.equal(code, 74)
  assert.deepEqual(fs.readdirSync(disk), [])
})

test('restored without its key a folder serves: keys and passwords work, recovery codes too', async (t) => {
  const home = temporaryFolder()
  const service = await serve(t, join(home, 'data'))
  const owner = caller(service, await signIn(service, EMAIL, PASSWORD))
  const begun = await owner('PUT', '/api/second_factor', { currentPassword: PASSWORD })
  const otp = totpCode(begun.body.second_factor.secret, Math.floor(Date.now() / 30_000))
  const on = await owner('POST', '/api/second_factor', { second_factor: { otp } })
  const [recovery] = on.body.second_factor.recoveryCodes as string[]
  const target = join(home, 'backup')
  assert.equal((await runWeir(join(home, 'data'), 'backup', target)).code, 0)
  assert.ok(!fs.existsSync(join(target, 'secret.key')))
  const { out } = await runWeir(join(home, 'again'), 'restore', target)
  assert.match(out, /The backup does not include secret\.key. Copy it to .*again before/)
  const again = await serve(t, join(home, 'again'))
  await putSample(again, 'c', 1e12)
  const login = { email: EMAIL, password: PASSWORD, otp: recovery }
  assert.equal((await caller(again, '')('POST', '/api/login', login)).status, 200)
})
