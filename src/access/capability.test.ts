import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../test/support/fast-check.ts'
import { roundsOf } from '../../test/support/random.ts'
import { Capabilities, findResourceMistake, type Method } from './capability.ts'

function capabilities(entries: Record<string, readonly Method[]>): Capabilities {
  return new Capabilities(
    Object.entries(entries).map(([resource, methods]) => ({ resource, methods })),
  )
}

test('gives() covers what lies below an entry and nothing beside it', () => {
  const given = capabilities({ 'component/*/feed': ['GET', 'PUT'], unit: ['GET'] })
  const check = (resource: string, method: Method, expected: boolean) =>
    assert.equal(given.gives(resource, method), expected, `${method} ${resource}`)
  check('component/c1/feed', 'GET', true)
  check('component/c1/feed', 'PUT', true)
  check('component/c1/feed', 'POST', false)
  check('component/c1/stream/s1/feed', 'GET', true)
  check('component/*/feed', 'PUT', true)
  check('component/c1/property', 'GET', false)
  check('component/c1', 'GET', false)
  check('component', 'GET', false)
  check('unit', 'GET', true)
  check('unit/u1', 'GET', true)
  check('units', 'GET', false)
})

test('gives() takes the most specific entry alone, whatever the order of the entries', () => {
  const entries: Record<string, readonly Method[]> = {
    '*': ['GET', 'DELETE'],
    'component/*': ['GET', 'POST'],
    'component/c1': ['PUT'],
    'component/*/feed': ['GET', 'PUT'],
    'component/c2/stream/s1/feed': [],
    'component/c2/stream/s2/feed': ['DELETE'],
  }
  const reversed = Object.fromEntries(Object.entries(entries).reverse())
  for (const given of [capabilities(entries), capabilities(reversed)]) {
    const check = (resource: string, expected: string) => {
      const found = (['GET', 'PUT', 'POST', 'DELETE'] as const).filter((method) =>
        given.gives(resource, method),
      )
      assert.equal(found.join(' '), expected, resource)
    }
    check('unit', 'GET DELETE')
    check('component/c3/property', 'GET POST')
    check('component/c3/feed', 'GET PUT')
    check('component/c1/feed', 'PUT')
    check('component/c2/stream/s1/feed', '')
    check('component/c2/stream/s2/feed', 'DELETE')
    check('component/c2/stream/s3/feed', 'GET PUT')
  }
})

test('gives() adds up two entries of the same resource', () => {
  const given = new Capabilities([
    { resource: 'unit', methods: ['GET'] },
    { resource: 'unit/*', methods: ['PUT'] },
  ])
  assert.ok(given.gives('unit', 'GET') && given.gives('unit', 'PUT'))
})

test('gives() nothing without entries', () => {
  assert.equal(new Capabilities([]).gives('unit', 'GET'), false)
})

test('feedCoverage() reports when it depends on the stream', () => {
  const check = (
    entries: Record<string, readonly Method[]>,
    componentUid: string,
    expected: string,
  ) =>
    assert.equal(
      capabilities(entries).feedCoverage(componentUid, 'PUT'),
      expected,
      `${JSON.stringify(entries)} for ${componentUid}`,
    )
  check({ '*': ['PUT'] }, 'c1', 'all')
  check({ 'component/*/feed': ['PUT'] }, 'c1', 'all')
  check({ 'component/*/feed': ['GET'] }, 'c1', 'none')
  check({ 'component/c1/feed': ['PUT'] }, 'c1', 'all')
  check({ 'component/c1/feed': ['PUT'] }, 'c2', 'none')
  check({ 'component/*/feed': ['PUT'], 'component/c1': [] }, 'c1', 'none')
  check({ 'component/*': ['PUT'], 'component/c1': [] }, 'c1', 'none')
  check({ 'component/*': ['PUT'], 'component/c1': [] }, 'c2', 'all')
  check({ 'component/c1/stream/s1/feed': ['PUT'] }, 'c1', 'by_stream')
  check({ 'component/c1/stream/s1/feed': ['PUT'] }, 'c2', 'none')
  check({ 'unit/u1': ['PUT'], 'component/*/feed': ['PUT'] }, 'c1', 'all')
})

test('findBeyond() names what others give and these do not', () => {
  type Entries = Record<string, readonly Method[]>
  const check = (own: Entries, others: Entries, expected: string | undefined) => {
    const found = capabilities(own).findBeyond(capabilities(others))
    const shown = found === undefined ? undefined : `${found.method} ${found.resource}`
    assert.equal(shown, expected, `${JSON.stringify(own)} and ${JSON.stringify(others)}`)
  }
  const feed: Entries = { 'component/*/feed': ['GET', 'PUT'] }
  check(feed, {}, undefined)
  check(feed, feed, undefined)
  check(feed, { 'component/c1/feed': ['PUT'] }, undefined)
  check(feed, { 'component/c1/stream/s1/feed': ['GET'] }, undefined)
  check(feed, { '*': [] }, undefined)
  check(feed, { '*': ['GET'] }, 'GET *')
  check(feed, { component: ['GET'] }, 'GET component')
  check(feed, { 'component/*/feed': ['GET', 'DELETE'] }, 'DELETE component/*/feed')
  check({ 'component/c1/feed': ['GET'] }, { 'component/*/feed': ['GET'] }, 'GET component/*/feed')
  check({ unit: ['GET'] }, { cycle: ['GET'] }, 'GET cycle')
  // What an entry of one's own takes away must be taken away from the others too.
  const butOne: Entries = { ...feed, 'component/c1': ['GET'] }
  check(butOne, feed, 'PUT component/c1/feed')
  check(butOne, { 'component/*/feed': ['GET'] }, undefined)
  check(butOne, butOne, undefined)
  check(butOne, { 'component/c2/feed': ['PUT'] }, undefined)
  check({ '*': ['GET'], api_key: [] }, { '*': ['GET'] }, 'GET api_key')
  check({ '*': ['GET'], api_key: [] }, { '*': ['GET'], api_key: [], unit: ['GET'] }, undefined)
  check(
    { 'component/*/feed': ['GET'], 'component/*/stream/s1/feed': [] },
    { 'component/c1': ['GET'] },
    'GET component/c1',
  )
  check(
    { component: ['GET'], 'component/*/stream/s1/feed': [] },
    { 'component/c1': ['GET'] },
    'GET component/c1/stream/s1/feed',
  )
})

test('findBeyond() agrees with gives() on every resource', () => {
  const segment = fc.constantFrom('*', 'a', 'b')
  const tail = fc.constantFrom('', '/feed', '/stream/s', '/stream/s/feed', '/stream/*/feed', '/x')
  const resource = fc.oneof(
    fc.constantFrom('*', 'component', 'unit', 'unit/a'),
    fc.tuple(segment, tail).map(([name, rest]) => `component/${name}${rest}`),
  )
  const entry = fc.record({ resource, methods: fc.subarray<Method>(['GET', 'PUT']) })
  const list = fc.array(entry, { maxLength: 5 })
  const tails = ['', '/feed', '/stream/s', '/stream/z', '/stream/s/feed', '/stream/z/feed', '/x']
  const asked = [
    'unit',
    'unit/a',
    'unit/z',
    'cycle',
    'component',
    ...['a', 'b', 'z'].flatMap((name) => tails.map((rest) => `component/${name}${rest}`)),
  ]
  fc.assert(
    fc.property(list, list, (ownEntries, otherEntries) => {
      const own = new Capabilities(ownEntries)
      const others = new Capabilities(otherEntries)
      const isBeyond = asked.some((one) =>
        (['GET', 'PUT'] as const).some(
          (method) => others.gives(one, method) && !own.gives(one, method),
        ),
      )
      assert.equal(own.findBeyond(others) !== undefined, isBeyond)
    }),
    { numRuns: roundsOf(2_000) },
  )
})

test('findResourceMistake() says what to change', () => {
  const check = (resource: string, expected: RegExp | undefined) => {
    const found = findResourceMistake(resource)
    if (expected === undefined) assert.equal(found, undefined, resource)
    else assert.match(found ?? '', expected, resource)
  }
  check('*', undefined)
  check('component/*/feed', undefined)
  check('conn_sink/my-sink', undefined)
  check('components', /begin with one of/)
  check('', /begin with one of/)
  check('component//feed', /empty segment/)
  check('component/', /empty segment/)
  check('component/a*/feed', /whole segment/)
  check(`component/${'x'.repeat(2_000)}`, /at most/)
})

test('mayGiveFeed() is true only when some feed may be open to the method', () => {
  const check = (resource: string, isPossible: boolean) => {
    const capabilities = new Capabilities([
      { resource: 'component/*/feed', methods: ['GET'] },
      { resource, methods: ['PUT'] },
    ])
    assert.equal(capabilities.mayGiveFeed('PUT'), isPossible, resource)
    assert.equal(capabilities.mayGiveFeed('DELETE'), false, resource)
  }
  // The entry that names all feeds decides about them.
  check('*', false)
  check('component', false)
  check('component/u1', true)
  check('component/u1/feed', true)
  check('component/u1/stream/u2/feed', true)
  check('component/*/property', false)
  check('unit', false)
})
