import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { type Call, caller } from '../../support/caller.ts'
import { ownerOfFile, serviceOfFile } from '../../support/service-of-file.ts'

const service = serviceOfFile()
const owner = ownerOfFile(service)
const SITES = ['north', 'northwest', 'south', 'north=1', '', undefined]
let uids: string[] = []
before(async () => {
  uids = []
  for (const id of ['a', 'b', 'c']) {
    const stream = SITES.map((site, at) => {
      return { id: `s${at}`, ...(site === undefined ? {} : { labels: { site, of: id } }) }
    })
    const made = await owner('PUT', '/api/component', {
      component: { id, name: `C ${id}`, stream },
    })
    assert.equal(made.status, 200, made.text)
    uids.push(made.body.component.uid)
  }
})

/** All that a search finds, call by call. */
async function find(call: Call, label: string, limit = 1_000) {
  const ids: string[] = []
  for (let next = 0; ; ) {
    const query = `label=${encodeURIComponent(label)}&limit=${limit}&after=${next}`
    const { status, text, body } = await call('GET', `/api/stream?${query}`)
    assert.equal(status, 200, text)
    const { streams } = body.search
    assert.ok(streams.length <= limit, text)
    ids.push(...streams.map((one: Found) => `${one.component.id}/${one.id}`))
    if (body.search.next === undefined) return ids
    next = body.search.next
  }
}

interface Found {
  readonly id: string
  readonly component: { readonly id: string }
}

test('streams are found by a label and its value, whatever the size of the pages', async () => {
  for (const limit of [1, 2, 1_000]) {
    assert.deepEqual(await find(owner, 'site=north', limit), ['a/s0', 'b/s0', 'c/s0'])
    const all = ['s0', 's1', 's3']
    const beginning = ['a', 'b', 'c'].flatMap((id) => all.map((stream) => `${id}/${stream}`))
    assert.deepEqual(await find(owner, 'site=north*', limit), beginning)
    assert.deepEqual(await find(owner, 'site=north=1', limit), ['a/s3', 'b/s3', 'c/s3'])
    assert.equal((await find(owner, 'of=*', limit)).length, 15)
    assert.deepEqual(await find(owner, 'SITE=Nörth', limit), ['a/s0', 'b/s0', 'c/s0'])
    assert.deepEqual(await find(owner, 'sit=north', limit), [])
    assert.deepEqual(await find(owner, 'constructor=*', limit), [])
  }
  const { body } = await owner('GET', '/api/stream?label=site=south')
  const [first] = body.search.streams
  assert.deepEqual(first.labels, { of: 'a', site: 'south' })
  assert.deepEqual([first.component.uid, first.component.name], [uids[0], 'C a'])
})

test('a search needs a label, and shows only what the caller may see', async () => {
  for (const query of ['', '?label=', '?label=site', '?label==north', '?label=a=b&after=x']) {
    const { status, text } = await owner('GET', `/api/stream${query}`)
    assert.equal(status, 400, `${query}: ${text}`)
  }
  const api_key = {
    name: 'all but one',
    capabilities: [
      { resource: 'component', methods: ['GET'] },
      { resource: `component/${uids[0]}`, methods: ['POST'] },
    ],
  }
  const made = await owner('PUT', '/api/api_key', { api_key })
  const key = caller(service, `api_key=${made.body.api_key.secretKey}`)
  const found = await find(key, 'site=north')
  assert.deepEqual(found, ['b/s0', 'c/s0'])
  const feed = caller(service, `api_key=${service.feedKey}`)
  assert.equal((await feed('GET', '/api/stream?label=site=north')).status, 403)
  const organization = await owner('PUT', '/api/organization', { organization: { name: 'Second' } })
  const second = organization.body.organization.uid
  const other = await owner('GET', `/api/stream?label=site=north&org=${second}`)
  assert.deepEqual(other.body.search, { streams: [] })
})
