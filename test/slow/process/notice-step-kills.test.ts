/** kill -9 at every step of a notification, from the change of a state to the record of its delivery. */
import assert from 'node:assert/strict'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { caller, signIn } from '../../support/caller.ts'
import { type ChildService, startChildService } from '../../support/child-service.ts'
import { startServiceOn } from '../../support/service-on.ts'
import { settlesTo } from '../../support/settle.ts'
import { type SmtpReceiver, startSmtpReceiver } from '../../support/smtp-receiver.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { startReceiver, type WebhookReceiver } from '../../support/webhook-receiver.ts'

const KEY = '0f0e0d0c-1111-4222-8333-444455556666'
const ACCOUNT = { email: 'owner@localhost', password: 'correct horse battery' }
const CHILD = new URL('../../support/killed-notifier.ts', import.meta.url)

/** Where the process is killed: around one of its commits, or while the receiver has its message. */
type Step = { readonly commit: number; readonly side: 'before' | 'after' } | 'received' | 'answered'

/** Messages that a receiver got, as the keys that each stands for. */
interface Inbox {
  readonly keys: string[][]
  /** Called with each message before it is answered, and once it is. */
  onMessage: (step: 'received' | 'answered') => void | Promise<void>
}

const sides = ['before', 'after'] as const
const commits = (count: number): Step[] =>
  Array.from({ length: count }, (_, at) => sides.map((side) => ({ commit: at + 1, side }))).flat()

const settings: Record<string, string> = {
  WEIR_FEED_KEY: KEY,
  WEIR_OWNER_PASSWORD: ACCOUNT.password,
  WEIR_OUTBOUND_ALLOW: '127.0.0.0/8',
}

/** Makes the folder of a service with an alert on some streams, and a channel. */
async function makeHome(
  inbox: Inbox,
  channel: object,
  streamIds: readonly string[],
): Promise<Home> {
  const folder = temporaryFolder()
  const service = await startServiceOn(folder, settings)
  const owner = caller(service, await signIn(service, ACCOUNT.email, ACCOUNT.password))
  const put = async (kind: string, record: object) => {
    const answer = await owner('PUT', `/api/${kind}`, { [kind]: record })
    assert.equal(answer.status, 200, answer.text)
    return answer.body[kind]
  }
  const me = (await owner('GET', '/api/alert/new')).body.alert.runningUser
  const { uid } = await put('channel', { name: 'Ops', ...channel })
  await put('component', { id: 'c', stream: streamIds.map((id) => ({ id, valueType: 'DOUBLE' })) })
  await put('alert', {
    name: 'Hot',
    streams: streamIds.map((streamId) => ({ componentId: 'c', streamId })),
    condition: 'value > 30',
    channels: [{ uid }],
    runningUser: me,
  })
  await service.close()
  return { folder, channelUid: uid, inbox, streamIds }
}

/** Kills a service at a step, starts it again, and returns the messages until all are recorded as delivered. */
async function killAt(
  step: Step,
  { folder, channelUid, inbox, streamIds }: Home,
): Promise<readonly (readonly string[])[]> {
  const copy = join(temporaryFolder(), 'data')
  cpSync(folder, copy, { recursive: true })
  inbox.keys.length = 0
  const { commit, side } = typeof step === 'object' ? step : { commit: 0, side: '' }
  const kill = { KILL_AT_COMMIT: String(commit), KILL_SIDE: side }
  const child = await startChildService(copy, { ...settings, ...kill }, CHILD)
  inbox.onMessage = async (at) => {
    if (at === step) await child.kill()
  }
  await putHot(child, streamIds)
  assert.equal(await child.ended, 'SIGKILL')
  inbox.onMessage = () => {}
  const service = await startServiceOn(copy, settings)
  try {
    const owner = caller(service, await signIn(service, ACCOUNT.email, ACCOUNT.password))
    await settlesTo(async () => {
      const { attempt } = (await owner('GET', `/api/channel/${channelUid}/attempt`)).body
      const delivered = attempt.filter(({ isOk }: Attempt) => isOk)
      return delivered.reduce((sum: number, one: Attempt) => sum + one.noticeCount, 0)
    }, streamIds.length)
  } finally {
    await service.close()
  }
  return inbox.keys
}

/** A sample for which the condition holds, on each stream. The kill may come before the answer. */
async function putHot({ url }: ChildService, streamIds: readonly string[]): Promise<void> {
  const query = new URLSearchParams({ compId: 'c', api_key: KEY })
  for (const id of streamIds) query.set(id, '31')
  const answer = await fetch(`${url}/api/feed?${query}`, { method: 'PUT' }).catch(() => undefined)
  assert.equal(answer?.status ?? 200, 200)
}

type Attempt = { readonly isOk: boolean; readonly noticeCount: number }

interface Home {
  readonly folder: string
  readonly channelUid: string
  readonly inbox: Inbox
  readonly streamIds: readonly string[]
}

describe('a webhook', () => {
  const inbox: Inbox = { keys: [], onMessage: () => {} }
  let receiver: WebhookReceiver
  before(async () => {
    receiver = await startReceiver()
    receiver.intercept = async ({ headers, body }, answer) => {
      const { keys } = JSON.parse(body) as { keys?: string[] }
      inbox.keys.push(keys ?? [String(headers['idempotency-key'])])
      await inbox.onMessage('received')
      await answer()
      await inbox.onMessage('answered')
    }
  })
  after(() => receiver.close())

  const channel = () => ({ url: receiver.url })

  test('arrives once or again with its key, whatever step the service is killed at', async () => {
    const streamIds = ['temp']
    const home = await makeHome(inbox, channel(), streamIds)
    for (const step of [...commits(2), 'received', 'answered'] as const) {
      const messages = await killAt(step, home)
      const shown = `${JSON.stringify(step)}: ${JSON.stringify(messages)}`
      assert.equal(new Set(messages.flat()).size, 1, shown)
      const isRepeated = step === 'received' || (typeof step === 'object' && isBefore(step, 2))
      if (isRepeated) assert.equal(messages.length, 2, shown)
      else if (step !== 'answered') assert.equal(messages.length, 1, shown)
    }
  })

  test('of a storm arrives for each stream, whatever step the service is killed at', async () => {
    const streamIds = Array.from({ length: 6 }, (_, at) => `s${at}`)
    const home = await makeHome(inbox, { ...channel(), perMinute: 2 }, streamIds)
    for (const step of commits(4)) {
      const messages = await killAt(step, home)
      const shown = `${JSON.stringify(step)}: ${JSON.stringify(messages)}`
      assert.equal(new Set(messages.flat()).size, streamIds.length, shown)
    }
  })
})

describe('an email', () => {
  const inbox: Inbox = { keys: [], onMessage: () => {} }
  let smtp: SmtpReceiver
  before(async () => {
    smtp = await startSmtpReceiver('', {
      onData: (stream, _session, done) => {
        const pieces: Buffer[] = []
        stream.on('data', (piece: Buffer) => pieces.push(piece))
        stream.on('end', async () => {
          const text = Buffer.concat(pieces).toString('utf8')
          inbox.keys.push([/^Idempotency-Key: (\S+)/m.exec(text)?.[1] ?? ''])
          await inbox.onMessage('received')
          done()
          await inbox.onMessage('answered')
        })
      },
    })
    settings.WEIR_SMTP_URL = `smtp://127.0.0.1:${smtp.server.port}`
    settings.WEIR_SMTP_FROM = 'Weir <weir@example.com>'
  })
  after(() => smtp.close())

  test('arrives once or again with its key, whatever step the service is killed at', async () => {
    const streamIds = ['temp']
    const channel = { kind: 'EMAIL', emails: ['ann@example.com'] }
    const home = await makeHome(inbox, channel, streamIds)
    for (const step of [...commits(2), 'received', 'answered'] as const) {
      const messages = await killAt(step, home)
      const shown = `${JSON.stringify(step)}: ${JSON.stringify(messages)}`
      assert.deepEqual(new Set(messages.flat()).size, 1, shown)
      assert.notEqual(messages[0][0], '', shown)
      const isRepeated = step === 'received' || (typeof step === 'object' && isBefore(step, 2))
      if (isRepeated) assert.equal(messages.length, 2, shown)
    }
  })
})

function isBefore(step: Exclude<Step, string>, commit: number): boolean {
  return step.commit === commit && step.side === 'before'
}
