/** The field that an error is about: beside the message for records, and nowhere in the errors of devices. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ownerOfFile, serviceOfFile } from '../../support/service-of-file.ts'

const service = serviceOfFile()
const owner = ownerOfFile(service)

test('an error about one field of a record names it', async () => {
  const check = async (path: string, body: object, field: string, code = 'bad_input') => {
    const answer = await owner('PUT', path, body)
    assert.equal(answer.body.code, code, answer.text)
    assert.equal(answer.body.field, field, answer.text)
    assert.deepEqual(Object.keys(answer.body), ['success', 'message', 'code', 'field'])
  }
  const unit = { id: 'fathom', name: 'Fathom', symbol: 'fm' }
  assert.equal((await owner('PUT', '/api/unit', { unit })).status, 200)
  await check('/api/unit', { unit }, 'unit.id', 'claim_taken')
  await check('/api/unit', { unit: { symbolLocation: 'ABOVE' } }, 'unit.symbolLocation')
  await check('/api/cycle', { cycle: { id: 'x', sizeType: 'DAY', count: 0 } }, 'cycle.count')
  const wide = { kind: 'text', x: 11, y: 0, width: 2, height: 1 }
  await check('/api/dashboard', { dashboard: { panels: [wide] } }, 'dashboard.panels[0].width')
  const stream = [{ id: 'a' }, { id: 'b', valueType: 'NUMBER' }]
  await check('/api/component', { component: { stream } }, 'component.stream[1].valueType')
  await check('/api/api_key', { api_key: { name: '' } }, 'api_key.name')
  await check('/api/org_user', { org_user: { role: 'MEMBER' } }, 'org_user.email')
  const client = { name: 'App', redirectUris: ['nowhere'] }
  await check('/api/oauth_client', { oauth_client: client }, 'oauth_client.redirectUris[0]')
})

test('errors about no field, and those of samples, have three properties', async () => {
  const bare = ['success', 'message', 'code']
  const missing = await owner('GET', '/api/unit/nowhere')
  assert.deepEqual(Object.keys(missing.body), bare)
  const body = JSON.stringify([{ compId: 'c', streamId: 's', time: 'soon', data: 1 }])
  const put = `${service.url}/api/feed?api_key=${service.feedKey}`
  const refused = await fetch(put, { method: 'PUT', body })
  assert.equal(refused.status, 400)
  assert.deepEqual(Object.keys((await refused.json()) as object), bare)
})
