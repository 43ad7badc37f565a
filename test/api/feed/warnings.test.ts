/** Calls that succeed and still ignore a part of what was sent say so in Weir-Warning. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ownerOfFile, serviceOfFile } from '../../support/service-of-file.ts'

const service = serviceOfFile({ settings: { WEIR_RATE_LIMITS: 'default' } })
const owner = ownerOfFile(service)

async function put(query: string): Promise<string | null> {
  const answer = await fetch(`${service.url}/api/feed?${query}`, {
    method: 'PUT',
    headers: { 'X-Api-Key': service.feedKey },
    body: '[{"compId":"c","streamId":"s","data":1}]',
  })
  assert.equal(answer.status, 200, await answer.text())
  return answer.headers.get('weir-warning')
}

test('samples in the URL of a put with a body are ignored with a warning', async () => {
  assert.equal(await put(''), null)
  assert.equal(await put(`api_key=${service.feedKey}&compId=c&derMaxS=1&compTmplId=&asPut`), null)
  const rest = 'ignored because the request has a body'
  // The second call shares the head of the first.
  for (const _again of [1, 2]) {
    assert.equal(await put('compId=c&temp=5'), `Parameter "temp" of the URL is ${rest}`)
  }
  assert.equal(await put('data=5&data=6'), `Parameter "data" of the URL is ${rest}`)
  assert.equal(
    await put('compId=c&a=1&b=2&rsid=a&%C3%BC=3&d=4'),
    `Parameters "a"; "b"; "rsid" and 2 others of the URL are ${rest}`,
  )
  const answer = await fetch(`${service.url}/api/comp/c/feed?retStreamId`, {
    headers: { 'X-Api-Key': service.feedKey },
  })
  const ids = ((await answer.json()) as { streamId: string }[]).map(({ streamId }) => streamId)
  assert.deepEqual([...new Set(ids)], ['s'])
})

test('rateLimits of an organization that the operator caps are saved with a warning', async () => {
  const path = `/api/organization/${service.orgUid}`
  const save = async (organization: object) => {
    const answer = await owner('POST', path, { organization })
    assert.equal(answer.status, 200, answer.text)
    return answer.headers.get('weir-warning')
  }
  assert.equal(
    await save({ rateLimits: 'off' }),
    'The operator limits rateLimits: feed is limited to 10000 requests per 10 s; admin is limited to 350 requests per 60 s',
  )
  assert.equal(
    await save({ rateLimits: 'feed=20000/10s' }),
    'The operator limits rateLimits: feed is limited to 10000 requests per 10 s',
  )
  assert.equal(await save({ name: 'Other' }), null)
  assert.equal(
    await save({ rateLimits: 'failed=5/1m' }),
    'The operator limits rateLimits: only the operator can set failed',
  )
  assert.equal(await save({ rateLimits: 'feed=5/1s' }), null)
  assert.equal(await save({ rateLimits: '' }), null)
  const made = await owner('PUT', '/api/organization', {
    organization: { name: 'Second', rateLimits: 'off' },
  })
  assert.match(made.headers.get('weir-warning') ?? '', /^The operator limits rateLimits/)
})
