import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type StreamInput, VALUE_TYPES } from '../../../src/catalog/shape/index.ts'
import { anyFeed, keyWith, NOW, openFeed, pairs, refused } from '../../support/feed-home.ts'
import { HOUR, hourly, hours, interval, T0 } from '../../support/hourly-stream.ts'

test('put() assigns max(now, last assigned + 1), so that quick puts keep both samples', async (t) => {
  const feed = await openFeed(t, { a: { valueType: 'DOUBLE' } })
  await feed.put('compId=c&a=1')
  await feed.put('compId=c&a=2')
  await feed.putJson([
    { compId: 'c', streamId: 'a', data: 3 },
    { compId: 'c', streamId: 'a', data: 4 },
  ])
  feed.clock.advance(1_000)
  await feed.put('compId=c&a=5')
  assert.deepEqual(pairs(await feed.get('a')), [
    [NOW + 1_000, 5],
    [NOW + 3, 4],
    [NOW + 2, 3],
    [NOW + 1, 2],
    [NOW, 1],
  ])
})

test('put() creates streams as DOUBLE or STRING by their first values', async (t) => {
  const feed = await openFeed(t)
  let count = 0
  const check = async (data: unknown[], expected: unknown[]) => {
    const streamId = `s${count++}`
    await feed.putJson(data.map((value, time) => ({ compId: 'c', streamId, data: value, time })))
    const found = (await feed.get(streamId)).map(({ data: value }) => value)
    assert.deepEqual(found.reverse(), expected, JSON.stringify(data))
  }
  await check([1.5, '72.5', ' 8 ', '-1e3'], [1.5, 72.5, 8, -1000])
  await check([1.5, 'x'], ['1.5', 'x'])
  await check(['72.50', 'NaN'], [72.5])
  await check(['nan', 'on', '1'], ['nan', 'on', '1'])
  await check([true, false], ['true', 'false'])
  await check(['true'], ['true'])
  await check([''], [''])
  await check([null, 3], [3])
})

test('put() leaves a stream untyped while only nulls came, then types it', async (t) => {
  const feed = await openFeed(t)
  await feed.put('compId=c&a=')
  assert.deepEqual(await feed.get('a'), [])
  await feed.put('compId=c&a=x')
  assert.deepEqual(pairs(await feed.get('a')), [[NOW + 1, 'x']])
  const other = await openFeed(t, { b: {} })
  await other.putJson([{ compId: 'c', streamId: 'b', data: 5, time: 1 }])
  const refusedText = await refused(other.put('compId=c&b=x'))
  assert.match(refusedText.message, /finite number for a stream of type DOUBLE, got "x"/)
})

test('put() takes failed readings as null in every type but texts, and they decide no type', async (t) => {
  const words = ['nan', 'NaN', '-nan', '+inf', 'INF', '-Infinity', 'ovf', ' OVF ', 'null', 'Null']
  const typed = VALUE_TYPES.filter((type) => type !== '' && type !== 'FILE' && type !== 'STRING')
  const feed = await openFeed(t, {
    ...Object.fromEntries(typed.map((valueType) => [valueType, { valueType }])),
    text: { valueType: 'STRING' },
    open: {},
  })
  const times = words.map((_, at) => at + 1)
  for (const streamId of [...typed, 'open', 'made']) {
    await feed.putJson(words.map((data, at) => ({ compId: 'c', streamId, data, time: at + 1 })))
    const values = words.map(encodeURIComponent).join(',')
    await feed.put(`compId=c&${streamId}=${values}&time=${times.join(',')}`)
    const stream = [{ streamId, time: times, data: words }]
    await feed.putJson({ feed: { component: [{ componentId: 'c', stream }] } })
    assert.deepEqual(await feed.get(streamId), [], streamId)
    await feed.putJson([
      { compId: 'c', streamId, data: 1, time: 100 },
      { compId: 'c', streamId, data: 'nan', time: 101 },
    ])
    assert.equal((await feed.get(streamId)).length, 1, streamId)
  }
  await feed.put('compId=c&text=nan,-Inf&time=1,2')
  assert.deepEqual(pairs(await feed.get('text')), [[2, '-Inf'], [1, 'nan']]) // biome-ignore format: short
  for (const word of ['nano', 'in', '--nan', 'n an', 'infinit']) {
    const { message } = await refused(feed.put(`compId=c&DOUBLE=${word}`))
    assert.match(message, /finite number/, word)
  }
})

test('put() takes an empty element as null on numeric streams and as a text on text streams', async (t) => {
  const feed = await openFeed(t, { n: { valueType: 'DOUBLE' }, t: { valueType: 'STRING' } })
  await feed.put('compId=c&n=1,,3&t=a,,c&time=1,2,3')
  assert.deepEqual(pairs(await feed.get('n')), [[3, 3], [1, 1]]) // biome-ignore format: short
  assert.deepEqual(pairs(await feed.get('t')), [[3, 'c'], [2, ''], [1, 'a']]) // biome-ignore format: short
})

test('put() holds every value type to its rule', async (t) => {
  const feed = await openFeed(t)
  let count = 0
  const check = async (valueType: StreamInput['valueType'], value: unknown, expected: unknown) => {
    const compId = `c${count++}`
    await feed.add(compId, { a: { valueType } })
    const put = feed.putJson([{ compId, streamId: 'a', data: value, time: 5 }])
    const about = `${valueType} ${JSON.stringify(value)}`
    const show = async () =>
      JSON.parse(
        String(
          await feed.calls.read(anyFeed, {
            call: 'get',
            ids: { compId, streamId: 'a' },
            query: '',
          }),
        ),
      )
    if (expected instanceof RegExp) {
      const { status, message } = await refused(put)
      assert.equal(status, 400, about)
      assert.match(message, expected, about)
      assert.match(message, /sample 0: "data"/, about)
      assert.deepEqual(await show(), [], about)
    } else {
      await put
      assert.deepEqual(pairs(await show()), [[5, expected]], about)
    }
  }
  await check('DOUBLE', '1e999', /finite number/)
  await check('DOUBLE', 'NaN°', /finite number/)
  await check('DOUBLE', '', /finite number/)
  await check('DOUBLE', true, /got true/)
  await check('DOUBLE', '0x10', /finite number/)
  await check('FLOAT', 0.1, 0.1)
  await check('FLOAT', 3.4028235e38, 3.4028235e38)
  await check('FLOAT', '-3.4028235E38', -3.4028235e38)
  await check('FLOAT', 2 ** 128 - 2 ** 103, /32-bit float/)
  await check('FLOAT', 1e39, /32-bit float/)
  await check('LONG', 9_007_199_254_740_991, 9_007_199_254_740_991)
  await check('LONG', 9_007_199_254_740_992, /must be an integer from/)
  await check('LONG', '5', 5)
  await check('LONG', 1.5, /must be an integer from/)
  await check('INTEGER', 2_147_483_647, 2_147_483_647)
  await check('INTEGER', 2_147_483_648, /an integer from -2147483648 to 2147483647/)
  await check('SHORT', -32_768, -32_768)
  await check('SHORT', 32_768, /must be an integer from/)
  await check('BOOLEAN', true, true)
  await check('BOOLEAN', 'FALSE', false)
  await check('BOOLEAN', 1, true)
  await check('BOOLEAN', '0', false)
  await check('BOOLEAN', 2, /true, false, 1, or 0/)
  await check('STRING', 1.5, '1.5')
  await check('STRING', false, 'false')
  await check('DATETIME', 1_700_000_000_000, 1_700_000_000_000)
  await check('DATETIME', '2023-11-14T22:13:20Z', 1_700_000_000_000)
  await check('DATETIME', 'yesterday', /must be an integer from/)
  await check('LATITUDE', 90, 90)
  await check('LATITUDE', 90.1, /from -90 to 90/)
  await check('LONGITUDE', -180.1, /from -180 to 180/)
  await check('ELEVATION', -11_000.5, -11_000.5)
  await check(
    'BIG_DECIMAL',
    '00123456789012345678901234567890.12300',
    '123456789012345678901234567890.123',
  )
  await check('BIG_DECIMAL', 1e21, '1000000000000000000000')
  await check('BIG_DECIMAL', '-1.5e-3', '-0.0015')
  await check('BIG_DECIMAL', '-0.0', '0')
  await check('BIG_DECIMAL', '1e999999999', /decimal number/)
  await check('BIG_DECIMAL', 'x', /decimal number/)
  await check('FILE', 'x', /file stream/)
})

test('put() stores all samples or none, and creates nothing when one is bad', async (t) => {
  const feed = await openFeed(t, {
    a: { valueType: 'DOUBLE' },
    d: { derivation: { expression: 'a + 1', variables: [{ name: 'a', streamId: 'a' }] } },
  })
  const good = { compId: 'c', streamId: 'a', data: 1, time: 1 }
  const fresh = { compId: 'new', streamId: 'x', data: 1, time: 1 }
  const check = async (bad: object, expected: RegExp) => {
    const { status, message } = await refused(feed.putJson([good, fresh, bad]))
    assert.equal(status, 400)
    assert.match(message, expected)
  }
  await check({ ...good, data: 'x' }, /sample 2: "data"/)
  await check({ ...good, streamId: 'd' }, /sample 2: its stream is derived/)
  await check({ ...fresh, streamId: 'y', data: '1e999' }, /sample 2: "data"/)
  const { message } = await refused(feed.put('compId=c&a=1&d=2&x=3'))
  assert.match(message, /value 0 of "d": its stream is derived/)
  assert.deepEqual(await feed.get(), [])
  assert.equal(feed.catalog.index.componentCount, 1)
  assert.deepEqual(feed.landed, [])
})

test('put() is refused as a whole when one component is forbidden', async (t) => {
  const feed = await openFeed(t, { a: { valueType: 'DOUBLE' }, b: { valueType: 'DOUBLE' } })
  await feed.add('other', { a: { valueType: 'DOUBLE' } })
  const uid = feed.catalog.index.resolveComponent('o', 'c')?.uid ?? ''
  const narrow = keyWith([`component/${uid}/feed`, 'PUT GET'])
  const sample = (compId: string, streamId = 'a') => ({ compId, streamId, data: 1, time: 1 })
  const check = async (samples: object[]) => {
    const { status } = await refused(feed.putJson(samples, '', narrow))
    assert.equal(status, 403)
    assert.deepEqual(await feed.get(), [])
  }
  await check([sample('c'), sample('other')])
  await check([sample('c'), sample('missing')])
  await check([sample('c', 'missing'), sample('missing')])
  await feed.putJson([sample('c'), sample('c', 'b')], '', narrow)
  assert.deepEqual(pairs(await feed.get()), [[1, 1], [1, 1]]) // biome-ignore format: short
  const handle = feed.catalog.index.resolve('o', 'c', 'a')
  const streamUid = feed.catalog.index.streamUid(handle)
  const narrower = keyWith([`component/${uid}/stream/${streamUid}/feed`, 'PUT'])
  await feed.putJson([{ ...sample('c'), time: 2 }], '', narrower)
  assert.equal((await refused(feed.putJson([sample('c', 'b')], '', narrower))).status, 403)
  assert.equal((await refused(feed.putJson([sample('c', 'new')], '', narrower))).status, 403)
})

test('put() lets a key for one component add streams to it, and make nothing else', async (t) => {
  const feed = await openFeed(t, { a: { valueType: 'DOUBLE' } })
  const { index } = feed.catalog
  const uid = index.resolveComponent('o', 'c')?.uid ?? ''
  const narrow = keyWith([`component/${uid}/feed`, 'PUT GET'])
  await feed.putJson([{ compId: 'c', streamId: 'added', data: 1, time: 1 }], '', narrow)
  await feed.put('compId=c&data=1&data=2&data=3', narrow)
  assert.equal(index.resolveComponent('o', 'c')?.streamCount, 3)
  const { message } = await refused(feed.put('compId=d&added=1', narrow))
  assert.match(message, /Cannot create component "d". It needs PUT on component\/\*\/feed/)
  assert.equal(index.componentCount, 1)
})

test('put() maps unnamed data to streams by definition order and creates the rest', async (t) => {
  const feed = await openFeed(t, { a: { valueType: 'DOUBLE' }, b: { valueType: 'STRING' } })
  await feed.put('compId=c&data=1&data=x&data=3')
  assert.deepEqual(await feed.get(undefined, 'retStreamId'), [
    { streamId: 'a', time: NOW, data: 1 },
    { streamId: 'b', time: NOW, data: 'x' },
    { streamId: 'stream3', time: NOW, data: 3 },
  ])
})

test('put() counts the places of unnamed data by the streams that were there before', async (t) => {
  const feed = await openFeed(t)
  const show = async (compId: string) => {
    const text = await feed.calls.read(anyFeed, {
      call: 'get',
      ids: { compId, streamId: undefined },
      query: 'retStreamId',
    })
    return JSON.parse(String(text)).map((shown: { streamId: string; data: unknown }) => [
      shown.streamId,
      shown.data,
    ])
  }
  // Twice: what repeats itself finds its streams again.
  for (const time of [1, 1]) {
    await feed.put(`compId=n&temp=30&data=10&data=20&time=${time}`)
    assert.deepEqual(await show('n'), [['stream1', 10], ['stream2', 20], ['temp', 30]]) // biome-ignore format: short
  }
  await feed.put('compId=m&stream1=5&data=7&time=1')
  assert.deepEqual(await show('m'), [['stream2', 7], ['stream1', 5]]) // biome-ignore format: short
  const stream = [{ id: 's1' }, { id: 's2', valueType: 'STRING' }]
  await feed.catalog.templates.insert(keyWith(['*', 'PUT']), { id: 'two', stream })
  await feed.put('compId=t&compTmplId=two&own=3&data=1&data=x&data=9&time=1')
  assert.deepEqual(await show('t'), [['s1', 1], ['s2', 'x'], ['stream3', 9], ['own', 3]]) // biome-ignore format: short
})

test('put() refuses a stream that is reached by name and by place, and stores nothing', async (t) => {
  const feed = await openFeed(t, { s1: { valueType: 'DOUBLE' } })
  const stream = [{ id: 's1' }]
  await feed.catalog.templates.insert(keyWith(['*', 'PUT']), { id: 'one', stream })
  for (const query of [
    'compId=c&data=1&s1=2',
    'compId=c&s1=2&data=1',
    'compId=c&s1=2&data=1&data=5',
    'compId=n&compTmplId=one&s1=2&data=1',
  ]) {
    const error = await refused(feed.put(query))
    assert.equal(error.status, 400)
    assert.match(error.message, /Stream "s1" is given twice/, query)
  }
  assert.deepEqual(await feed.get(), [])
  assert.equal(feed.catalog.index.resolveComponent('o', 'n'), undefined)
  assert.equal(feed.catalog.index.streamCount, 1)
})

test('put() gives a stream of a template without a type that of its first sample', async (t) => {
  const feed = await openFeed(t)
  const stream = [{ id: 'a' }, { id: 'b' }, { id: 'rest' }]
  await feed.catalog.templates.insert(keyWith(['*', 'PUT']), { id: 'bare', stream })
  await feed.put('compId=m&compTmplId=bare&a=1&b=x')
  const typeOf = (compId: string, id: string) => {
    const { index } = feed.catalog
    return VALUE_TYPES[index.valueCodeOf(index.resolve('o', compId, id))]
  }
  assert.deepEqual(['a', 'b', 'rest'].map((id) => typeOf('m', id)), ['DOUBLE', 'STRING', '']) // biome-ignore format: short
  assert.equal((await refused(feed.put('compId=m&a=text'))).status, 400)
  await feed.put('compId=m&rest=text')
  assert.equal(typeOf('m', 'rest'), 'STRING')
})

test('put() returns requested last values, and names the created streams', async (t) => {
  const feed = await openFeed(t, { a: { valueType: 'DOUBLE' }, b: { valueType: 'BOOLEAN' }, e: {} })
  assert.equal(await feed.put('compId=c&a=1.50&b=true&rsid=b&rsid=a'), '{"b":true,"a":1.5}')
  assert.equal(await feed.put('compId=c&a=-0&rsid=a&rsid=e'), '{"a":-0,"e":null}')
  assert.equal(
    await feed.put('compId=c&a=1&rsid=n"ew&rsid=a'),
    '{"n\\"ew":null,"a":1,"missing":[{"itemType":"stream","itemId":"n\\"ew","componentId":"c"}]}',
  )
  assert.equal(await feed.put('compId=c&fresh=x&rsid=fresh'), '{"fresh":"x"}')
  assert.equal(await feed.put('compId=c2&f=1&rsid=f'), '{"f":1}')
})

test('put() with rsid needs GET too, before anything is stored', async (t) => {
  const feed = await openFeed(t, { a: { valueType: 'DOUBLE' } })
  const putOnly = keyWith(['component/*/feed', 'PUT'])
  for (const rsid of ['a', 'missing']) {
    assert.equal((await refused(feed.put(`compId=c&a=1&rsid=${rsid}`, putOnly))).status, 403)
  }
  assert.equal((await refused(feed.put('compId=c9&a=1&rsid=a', putOnly))).status, 403)
  assert.deepEqual(await feed.get(), [])
  assert.equal(feed.catalog.index.componentCount, 1)
})

test('put() places interval samples at the end of their interval; the later of two wins', async (t) => {
  const feed = await openFeed(t, { i: interval })
  await hours(feed, [[0.5, 1], [0.9, 2], [0.2, 3], [1, 4], [1.001, 5]]) // biome-ignore format: short
  assert.deepEqual(await hourly(feed), [[2, 5], [1, 4]]) // biome-ignore format: short
  await hours(feed, [[1, 7], [1, 8]]) // biome-ignore format: short
  assert.deepEqual(await hourly(feed), [[2, 5], [1, 8]]) // biome-ignore format: short
})

test('put() fills the uploaded span with gaps unless the option is off', async (t) => {
  const feed = await openFeed(t, { i: interval })
  await hours(feed, [[1, 1], [2, 2], [3, 3], [4, 4], [5, 5]]) // biome-ignore format: short
  await hours(feed, [[2, 20], [4, 40]], 'autofillGapsWithNulls=false') // biome-ignore format: short
  assert.deepEqual(await hourly(feed), [[5, 5], [4, 40], [3, 3], [2, 20], [1, 1]]) // biome-ignore format: short
  await hours(feed, [[4, 41], [2, 21]]) // biome-ignore format: short
  assert.deepEqual(await hourly(feed), [[5, 5], [4, 41], [3, null], [2, 21], [1, 1]]) // biome-ignore format: short
  await hours(feed, [[2, null]])
  assert.deepEqual(await hourly(feed), [[5, 5], [4, 41], [3, null], [2, null], [1, 1]]) // biome-ignore format: short
  await hours(feed, [[1, null], [5, null]], 'autofillGapsWithNulls=false') // biome-ignore format: short
  assert.deepEqual(await hourly(feed), [[4, 41]])
  assert.deepEqual(pairs(await feed.last('i')), [[T0 + 4 * HOUR, 41]])
})

test('put() keeps of a point stream the sample that arrived last, timed at its arrival', async (t) => {
  const feed = await openFeed(t, { p: { streamType: 'point_stream', valueType: 'DOUBLE' } })
  await feed.put('compId=c&p=1,2&time=5,4')
  assert.deepEqual(pairs(await feed.get('p')), [[NOW, 2]])
  feed.clock.advance(10)
  await feed.put('compId=c&p=')
  assert.deepEqual(pairs(await feed.get('p')), [[NOW, 2]])
  await feed.put('compId=c&p=7&time=1')
  assert.deepEqual(pairs(await feed.get('p', 'sd=0&ed=1')), [[NOW + 10, 7]])
  assert.deepEqual(pairs(await feed.last('p', 'sd=0&ed=1')), [[NOW + 10, 7]])
  assert.deepEqual(await feed.get('p', 'sd=1&ed=1'), [])
})

test('put() creates components from templates and streams from a definition', async (t) => {
  const feed = await openFeed(t)
  const stream = [
    { id: 'i', streamType: 'intvl_stream', baseCycle: { id: 'hour' }, valueType: 'INTEGER' },
    { id: 't', valueType: 'STRING' },
  ]
  await feed.catalog.templates.insert(keyWith(['*', 'PUT']), { id: 'tmpl', stream })
  const show = async (compId: string) =>
    JSON.parse(
      String(
        await feed.calls.read(anyFeed, {
          call: 'get',
          ids: { compId, streamId: undefined },
          query: 'retStreamId',
        }),
      ),
    )
  await feed.put('compId=n&compTmplId=tmpl&compName=Name&data=5&data=x&data=7')
  const end = Math.ceil(NOW / HOUR) * HOUR
  assert.deepEqual(await show('n'), [
    { streamId: 'i', time: end, data: 5 },
    { streamId: 't', time: NOW, data: 'x' },
    { streamId: 'stream3', time: NOW, data: 7 },
  ])
  const bad = await refused(feed.put('compId=m&compTmplId=tmpl&i=1.5'))
  assert.match(bad.message, /value 0 of "i": "data" must be an integer/)
  assert.equal(feed.catalog.index.resolveComponent('o', 'm'), undefined)
  await feed.put('compId=c&dtId=tmpl&dsId=i&q=8')
  assert.deepEqual(await feed.get(), [{ time: end, data: 8 }])
  assert.equal((await refused(feed.put('compId=m&compTmplId=nope&a=1'))).status, 404)
  assert.equal((await refused(feed.put('compId=c&dtId=tmpl&dsId=nope&z=1'))).status, 404)
  assert.equal((await refused(feed.put('compId=c&dtId=tmpl&z=1'))).status, 400)
  assert.equal((await refused(feed.put('compId=m&folder=/Elsewhere&a=1'))).status, 400)
  await feed.put('compId=c&dtId=nope&dsId=nope&compTmplId=nope&folder=/Elsewhere&q=9')
})

test('put() places days of 23 and 25 hours by the zone the stream was created in', async (t) => {
  const feed = await openFeed(t)
  const everything = keyWith(['*', 'GET PUT POST DELETE'])
  const day = { streamType: 'intvl_stream', baseCycle: { id: 'day' }, valueType: 'DOUBLE' }
  const { uid } = await feed.catalog.components.insert(everything, {
    id: 'ny',
    timeZoneId: 'America/New_York',
    stream: [{ id: 'd', ...day }],
  })
  const show = async () =>
    JSON.parse(
      String(
        await feed.calls.read(anyFeed, {
          call: 'get',
          ids: { compId: 'ny', streamId: 'd' },
          query: 'retIntvlSd',
        }),
      ),
    ).map(({ sdTime, time, data }: Record<'sdTime' | 'time' | 'data', number>) => [
      new Date(sdTime).toISOString(),
      new Date(time).toISOString(),
      data,
    ])
  const put = (time: string, data: number) =>
    feed.putJson([{ compId: 'ny', streamId: 'd', data, time: Date.parse(time) }])
  await put('2024-03-10T05:00:00.001Z', 1)
  await put('2024-03-11T04:00:00.000Z', 2)
  await put('2024-03-11T04:00:00.001Z', 3)
  const expected = [
    ['2024-03-11T04:00:00.000Z', '2024-03-12T04:00:00.000Z', 3],
    ['2024-03-10T05:00:00.000Z', '2024-03-11T04:00:00.000Z', 2],
  ]
  assert.deepEqual(await show(), expected)
  await feed.catalog.components.update(everything, uid, { timeZoneId: 'Asia/Tokyo' })
  assert.deepEqual(await show(), expected)
  await put('2024-11-04T05:00:00.000Z', 4)
  assert.deepEqual((await show())[0].slice(0, 2), [
    '2024-11-03T04:00:00.000Z',
    '2024-11-04T05:00:00.000Z',
  ])
})

test('put() by many calls at once creates each stream once and keeps every sample', async (t) => {
  const feed = await openFeed(t)
  const calls = Array.from({ length: 20 }, (_, at) => feed.put(`compId=new&a=${at}&b${at % 4}=x`))
  await Promise.all(calls)
  const shown = JSON.parse(
    String(
      await feed.calls.read(anyFeed, {
        call: 'get',
        ids: { compId: 'new', streamId: undefined },
        query: '',
      }),
    ),
  )
  assert.equal(shown.length, 40)
  assert.equal(feed.catalog.index.resolveComponent('o', 'new')?.streams.length, 5)
})
