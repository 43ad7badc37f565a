import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ChannelPreset } from '../channel/channel-shape.ts'
import type { NoticeContent } from '../notice.ts'
import type { Delivery } from './delivery.ts'
import { webhookRequest } from './webhook-body.ts'

const content: NoticeContent = {
  alertUid: 'a1',
  alertName: 'Too hot <b>&',
  severity: 'critical',
  state: 'FIRING',
  reason: 'change',
  message: '@everyone 93 °C',
  streamUid: 's1',
  streamId: 'temperature',
  componentUid: 'c1',
  componentId: 'boiler',
  componentName: 'Boiler 3',
  sampleTime: 1_760_000_000_000,
  value: '93',
  startedMs: 1_760_000_000_000,
  eventUid: 'e1',
}
const delivery: Delivery = { idempotencyKey: 'k1', createdMs: 1_760_000_000_500, content }

function requestOf(preset: ChannelPreset, url: string, about: Delivery = delivery) {
  const target = { preset, url, token: '12:AB', recipient: '-100' }
  const request = webhookRequest(about, target, 'https://weir.example.com')
  return { url: request.url, body: JSON.parse(request.body) }
}

test('webhookRequest() has the form that each service documents', () => {
  const slack = requestOf('SLACK', 'https://hooks.slack.com/services/x')
  assert.equal(
    slack.body.text,
    '*Firing: Too hot &lt;b&gt;&amp;*\n@everyone 93 °C\nBoiler 3 / temperature = 93\nSince 2025-10-09 08:53:20 UTC\nhttps://weir.example.com/alerts/a1',
  )
  const discord = requestOf('DISCORD', 'https://discord.com/api/webhooks/x')
  assert.deepEqual(discord.body.allowed_mentions, { parse: [] })
  const [embed] = discord.body.embeds
  assert.equal(embed.title, 'Firing: Too hot <b>&')
  assert.equal(embed.url, 'https://weir.example.com/alerts/a1')
  assert.equal(embed.timestamp, '2025-10-09T08:53:20.500Z')
  const telegram = requestOf('TELEGRAM', 'https://api.telegram.org/')
  assert.equal(telegram.url, 'https://api.telegram.org/bot12:AB/sendMessage')
  assert.equal(telegram.body.chat_id, '-100')
  assert.match(telegram.body.text, /^Firing: Too hot <b>&\n@everyone/)
  const ntfy = requestOf('NTFY', 'https://ntfy.example.com/base/my-topic')
  assert.equal(ntfy.url, 'https://ntfy.example.com/base/')
  const { topic, priority, tags, click } = ntfy.body
  assert.deepEqual(
    { topic, priority, tags, click },
    {
      topic: 'my-topic',
      priority: 5,
      tags: ['rotating_light'],
      click: 'https://weir.example.com/alerts/a1',
    },
  )
  for (const preset of ['JSON', 'HOME_ASSISTANT'] as const) {
    const { body } = requestOf(preset, 'http://ha.local/api/webhook/x')
    assert.equal(body.kind, 'alert')
    assert.equal(body.since, 1_760_000_000_000)
    assert.equal(body.event, 'e1')
  }
})

test('webhookRequest() stays below the limits of receivers, however long names and messages are', () => {
  const long = { alertName: 'n'.repeat(512), message: '😀'.repeat(10_000) }
  const about = { ...delivery, content: { ...content, ...long } }
  const [embed] = requestOf('DISCORD', 'https://d.example', about).body.embeds
  assert.ok(embed.title.length <= 256 && embed.description.length <= 4_096)
  assert.ok(embed.description.isWellFormed())
  const telegram = requestOf('TELEGRAM', 'https://api.telegram.org', about)
  assert.ok(telegram.body.text.length <= 4_096)
})

test('webhookRequest() names the keys of a summary', () => {
  const keys = Array.from({ length: 30 }, (_, at) => `k${at}`)
  const changes = keys.slice(0, 20).map(() => content)
  const summary = { keys, firing: 29, resolved: 1, changes, fromMs: 1_000, untilMs: 2_000 }
  const { body } = requestOf('JSON', 'https://j.example', { ...delivery, content: summary })
  assert.equal(body.kind, 'summary')
  assert.deepEqual(body.keys, keys)
  assert.equal(body.title, '30 alert changes: 29 firing, 1 resolved')
  assert.match(body.text, /… and 20 more$/)
})
