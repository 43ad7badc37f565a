import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { caller, signIn } from '../../support/caller.ts'
import { FeedClient } from '../../support/feed-client.ts'
import { startService } from '../../support/service.ts'

async function start(t: TestContext, settings: Record<string, string> = {}) {
  const service = await startService({ settings })
  t.after(() => service.close())
  const { index } = service.app.catalog
  const session = await signIn(service, service.ownerEmail, service.ownerPassword)
  return { device: new FeedClient(service), index, owner: caller(service, session) }
}

/** Puts, expects a refusal, and that neither samples nor streams are left of it. */
async function expectNothingOf(
  { device, index }: Pick<Awaited<ReturnType<typeof start>>, 'device' | 'index'>,
  query: string,
  status: number,
): Promise<void> {
  const before = [await device.get('c', 's'), index.streamCount, index.componentCount]
  const answer = await device.put(query)
  assert.equal(answer.status, status, answer.text)
  assert.deepEqual([await device.get('c', 's'), index.streamCount, index.componentCount], before)
}

test('a put is not stored when what its rsid asks for is beyond the quota', async (t) => {
  const world = await start(t, { WEIR_QUOTAS: 'streams=2' })
  assert.equal((await world.device.put('compId=c&s=1&time=1')).status, 200)
  await expectNothingOf(world, 'compId=c&s=2&time=2&rsid=x&rsid=y', 403)
  await expectNothingOf(world, 'compId=d&s=2&time=2&rsid=x', 403)
  const { text } = await world.device.put('compId=c&s=3&time=3&rsid=s&rsid=x')
  assert.equal(
    text,
    '{"s":3,"x":null,"missing":[{"itemType":"stream","itemId":"x","componentId":"c"}]}',
  )
})

test('streams that rsid asks for count in WEIR_CREATE_MAX', async (t) => {
  const world = await start(t, { WEIR_CREATE_MAX: '3' })
  assert.equal((await world.device.put('compId=c&s=1&time=1')).status, 200)
  await expectNothingOf(world, 'compId=c&s=2&time=2&rsid=u&rsid=v&rsid=w&rsid=x', 400)
  await expectNothingOf(world, 'compId=c&s=2&a=1&b=1&time=2&rsid=v&rsid=w', 400)
  await expectNothingOf(world, 'compId=d&a=1&b=1&time=2&rsid=v&rsid=w', 400)
  // What a sample names anyway, or is there, is not made for rsid.
  const { status } = await world.device.put('compId=c&s=2&a=1&b=1&time=2&rsid=s&rsid=a&rsid=v')
  assert.equal(status, 200)
})

test('a put is not stored when the definition of a stream that its rsid asks for is not there', async (t) => {
  const world = await start(t)
  assert.equal((await world.device.put('compId=c&s=1&time=1')).status, 200)
  await expectNothingOf(world, 'compId=c&s=2&time=2&rsid=x&dtId=none&dsId=none', 404)
  await expectNothingOf(world, 'compId=c&s=2&time=2&rsid=x&dtId=none', 400)
  const known = await world.device.put('compId=c&s=2&time=2&rsid=s&dtId=none')
  assert.equal(known.text, '{"s":2}')
})

test('rsid answers what a place or a template of the call brings, and makes only the rest', async (t) => {
  const { device, index, owner } = await start(t)
  assert.equal((await device.put('compId=p&data=5&rsid=stream1')).text, '{"stream1":5}')
  const stream = [{ id: 'x', valueType: 'LONG' }, { id: 'y' }]
  const template = { component_template: { id: 't', name: 't', stream } }
  assert.equal((await owner('PUT', '/api/component_template', template)).status, 200)
  const { text } = await device.put('compId=q&x=1&compTmplId=t&rsid=x&rsid=y&rsid=z')
  assert.deepEqual(JSON.parse(text), {
    x: 1,
    y: null,
    z: null,
    missing: [{ itemType: 'stream', itemId: 'z', componentId: 'q' }],
  })
  // What came without a value has no type yet.
  assert.equal((await device.put('compId=q&z=text&rsid=z')).text, '{"z":"text"}')
  assert.equal((await device.put('compId=n&a=1&rsid=b&rsid=a')).status, 200)
  assert.equal((await device.put('compId=n&b=text&rsid=b&rsid=a')).text, '{"b":"text","a":1}')
  assert.equal(index.streamCount, 6)
})
