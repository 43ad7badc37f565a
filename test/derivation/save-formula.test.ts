import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Refusal } from '../../src/base/index.ts'
import type { StreamInput } from '../../src/catalog/shape/index.ts'
import { expressionFunctions } from '../../src/expression/index.ts'
import { type OpenedCatalog, ownerOf, withCatalog } from '../support/catalog.ts'

const ORG = 'org-1'
const owner = ownerOf(ORG)

type Formula = NonNullable<StreamInput['derivation']>

/** A formula over streams of the own component, each variable named as its stream. */
function over(expression: string, ...ids: string[]): Formula {
  return { expression, variables: ids.map((id) => ({ name: id, streamId: id })) }
}

async function refusalOf(call: Promise<unknown>): Promise<{ status: number; message: string }> {
  try {
    await call
  } catch (error) {
    assert.ok(error instanceof Refusal, String(error))
    return error
  }
  return assert.fail('was accepted')
}

async function makeBoiler({ catalog }: OpenedCatalog, ...more: StreamInput[]) {
  const plain: StreamInput[] = [
    { id: 'flow', valueType: 'DOUBLE' },
    { id: 'return', valueType: 'LONG' },
    { id: 'state', valueType: 'STRING' },
    { id: 'on', valueType: 'BOOLEAN' },
    { id: 'later' },
    { id: 'scan', valueType: 'FILE' },
    { id: 'set', streamType: 'point_stream', valueType: 'DOUBLE' },
    { id: 'hourly', valueType: 'DOUBLE', streamType: 'intvl_stream', baseCycle: 'hour' },
    { id: 'daily', valueType: 'DOUBLE', streamType: 'intvl_stream', baseCycle: 'day' },
  ]
  return await catalog.components.insert(owner, { id: 'boiler', stream: [...plain, ...more] })
}

test('a formula is kept with its sources found, and shown by their IDs and UIDs', () =>
  withCatalog(async (opened) => {
    const { catalog } = opened
    const boiler = await makeBoiler(opened)
    const flow = boiler.stream?.find(({ id }) => id === 'flow')
    const other = await catalog.components.insert(owner, { id: 'house' })
    const derivation: Formula = {
      expression: '(f + r) / 2',
      variables: [
        { name: 'f', componentId: 'boiler', streamUid: flow?.uid },
        { name: 'r', componentUid: boiler.uid, streamId: 'return', offset: -1 },
        { name: 'm', componentId: 'boiler', streamId: 'flow', cycleId: 'month', stat: 'AVG' },
      ],
      trigger: 'ANY',
      followsCorrections: true,
    }
    const saved = await catalog.streams.insert(owner, other.uid, { id: 'mean', derivation })
    assert.equal(saved.streamDerivationType, 'FROM_EXPRESSION')
    assert.equal(saved.valueType, 'DOUBLE')
    const { variables, ...rest } = saved.derivation ?? assert.fail()
    assert.deepEqual(rest, {
      expression: '(f + r) / 2',
      trigger: 'ANY',
      followsCorrections: true,
    })
    const named = { componentId: 'boiler', componentUid: boiler.uid }
    assert.deepEqual(variables[0], {
      name: 'f',
      ...named,
      streamId: 'flow',
      streamUid: flow?.uid,
      offset: 0,
      cycleUid: '',
      cycleId: '',
      stat: '',
    })
    assert.deepEqual([variables[1].streamId, variables[1].offset], ['return', -1])
    assert.deepEqual([variables[2].cycleId, variables[2].stat], ['month', 'avg'])
    // What was shown can be sent back, also after a restart.
    await opened.restart()
    const shown = await opened.catalog.streams.get(owner, other.uid, saved.uid)
    assert.deepEqual(shown, saved)
    const { derivationStatus: _, ...input } = shown
    const again = await opened.catalog.streams.update(
      ...([owner, { componentUid: other.uid, uid: saved.uid }] as const),
      { ...input, name: 'Mean' },
    )
    assert.deepEqual([again.name, again.derivation], ['Mean', saved.derivation])
  }))

test('streams of one save may read each other, in any order, and get the types of formulas', () =>
  withCatalog(async (opened) => {
    const { stream = [] } = await makeBoiler(
      opened,
      { id: 'last', derivation: over('text + "!"', 'text') },
      { id: 'text', derivation: over('if(high, "hot", state)', 'high', 'state') },
      { id: 'high', derivation: over('flow > 70', 'flow') },
      { id: 'open', derivation: over('later', 'later') },
      { id: 'sum', derivation: over('return + 1', 'return') },
      { id: 'whole', valueType: 'LONG', derivation: over('CAST(flow AS LONG)', 'flow') },
    )
    const types = Object.fromEntries(stream.map(({ id, valueType }) => [id, valueType]))
    assert.deepEqual([types.last, types.text, types.high], ['STRING', 'STRING', 'BOOLEAN'])
    assert.deepEqual([types.open, types.sum, types.whole], ['', 'DOUBLE', 'LONG'])
    const text = stream.find(({ id }) => id === 'text')
    const last = stream.find(({ id }) => id === 'last')
    assert.equal(last?.derivation?.variables[0].streamUid, text?.uid)
    assert.equal(last?.derivation?.variables[0].componentUid, '')
  }))

test('a component that is sent as another one reads its own streams', () =>
  withCatalog(async (opened) => {
    const boiler = await makeBoiler(opened, { id: 'mean', derivation: over('flow * 2', 'flow') })
    const stream = boiler.stream?.map(({ uid: _, revision: __, ...one }) => one)
    const copy = await opened.catalog.components.insert(owner, { id: 'copy', stream })
    const own = copy.stream?.find(({ id }) => id === 'flow')
    const mean = copy.stream?.find(({ id }) => id === 'mean')
    assert.equal(mean?.derivation?.variables[0].streamUid, own?.uid)
  }))

test('a formula that cannot be saved is refused with its field, and nothing is changed', () =>
  withCatalog(async (opened) => {
    const { catalog } = opened
    const boiler = await makeBoiler(opened)
    const count = catalog.index.streamCount
    const check = async (input: StreamInput, expected: RegExp) => {
      const { status, message } = await refusalOf(
        catalog.streams.insert(owner, boiler.uid, { id: 'd', ...input }),
      )
      assert.equal(status, 400, message)
      assert.match(message, expected)
      assert.equal(catalog.index.streamCount, count)
    }
    const formula = (expression: string, ...ids: string[]) => ({
      derivation: over(expression, ...ids),
    })
    const reading = (more: object) => ({
      derivation: { expression: 'a', variables: [{ name: 'a', streamId: 'flow', ...more }] },
    })
    const hourly = { streamType: 'intvl_stream', baseCycle: 'hour' } as const

    await check(
      formula('(flow + ', 'flow'),
      /^stream\.derivation\.expression has an error in line 1, column \d+: /,
    )
    await check(
      formula('1 +\n nope(flow)', 'flow'),
      /expression has an error in line 2, column 2: .*nope/,
    )
    await check(
      formula('flow + flw', 'flow'),
      /column 8: Unknown variable "flw": did you mean "flow"\?/,
    )
    await check(
      formula('flow * state', 'flow', 'state'),
      /expression has an error in line 1, column 8: /,
    )
    await check(
      formula(`flow + ${'1'.repeat(100_000)}`, 'flow'),
      /expression has 100007 characters|at most 10000/,
    )
    await check(formula(`${'('.repeat(1_000)}flow${')'.repeat(1_000)}`, 'flow'), /nested deeper/i)
    await check(formula('flow + "\ud800"', 'flow'), /surrogate/)
    await check(formula('1'), /variables is empty/)
    await check(
      {
        derivation: {
          expression: 'a + A',
          variables: [
            { name: 'a', streamId: 'flow' },
            { name: 'A', streamId: 'return' },
          ],
        },
      },
      /^stream\.derivation\.variables\[1\]\.name "A" is also the name of variables\[0\]/,
    )
    for (const name of ['true', 'False', 'null', 'AND', 'or', 'not', 'In', 'like', 'between']) {
      await check(
        reading({ name }),
        /^stream\.derivation\.variables\[0\]\.name ".*" is a keyword \(in any case\)\. Choose/,
      )
    }
    for (const name of ['case', 'When', 'then', 'else', 'end', 'cast', 'as', 'is']) {
      await check(reading({ name }), /variables\[0\]\.name ".*" is a keyword/)
    }
    await check(reading({ name: ' ' }), /variables\[0\]\.name is blank/)
    await check(reading({ streamId: 'nope' }), /variables\[0\]\.streamId "nope" is not a stream/)
    await check(reading({ streamId: '' }), /variables\[0\]\.streamId is missing/)
    const byUid = { streamId: '', streamUid: 'nope' }
    await check(reading(byUid), /variables\[0\]\.streamUid "nope" is not a stream/)
    await check(reading({ componentId: 'x' }), /variables\[0\]\.componentId "x" is not a component/)
    await check(reading({ offset: 1 }), /variables\[0\]\.offset/)
    await check(reading({ offset: -10_001 }), /variables\[0\]\.offset/)
    await check(reading({ offset: 0.5 }), /variables\[0\]\.offset/)
    await check(reading({ cycleId: 'day' }), /variables\[0\]\.stat is missing/)
    await check(reading({ stat: 'avg' }), /variables\[0\]\.cycleId is missing/)
    await check(reading({ cycleId: 'nope', stat: 'avg' }), /cycleId "nope" is not a cycle/)
    await check(reading({ cycleId: 'day', stat: 'median' }), /stat "median" must be one of first/)
    await check(
      reading({ streamId: 'state', cycleId: 'day', stat: 'avg' }),
      /not available for texts/,
    )
    await check(reading({ streamId: 'scan' }), /variables\[0\] refers to a file stream/)
    await check(reading({ streamId: 'set' }), /variables\[0\] refers to a point stream/)
    await check({ ...hourly, ...reading({ streamId: 'daily' }) }, /do not add up to intervals/)
    await check(
      { streamType: 'point_stream', ...formula('flow', 'flow') },
      /streamType must not be/,
    )
    await check({ valueType: 'FILE', ...formula('flow', 'flow') }, /valueType must not be FILE/)
    await check({ valueType: 'LONG', ...formula('flow', 'flow') }, /valueType LONG cannot store/)
    await check(
      { valueType: 'DOUBLE', ...formula('state', 'state') },
      /valueType DOUBLE cannot store/,
    )
    await check(
      { valueType: 'BOOLEAN', ...formula('flow', 'flow') },
      /valueType BOOLEAN cannot store/,
    )
    await check({ streamDerivationType: 'FROM_EXPRESSION' }, /derivation is missing/)
    await check(
      { streamDerivationType: 'NONE', ...formula('flow', 'flow') },
      /derivation is only for streams with streamDerivationType FROM_EXPRESSION/,
    )
    await check({ derivation: { ...over('flow', 'flow'), trigger: 'SOME' as 'ANY' } }, /trigger/)
    await check(
      { derivation: { ...over('flow', 'flow'), followsCorrections: 1 as never } },
      /boolean/,
    )
    await check({ derivation: 5 as never }, /stream\.derivation must be/)
    await check(reading({ streamUid: boiler.stream?.[1].uid }), /is not the stream of streamUid/)
    await check(
      formula('d + 1', 'd'),
      /make a loop, where each is derived from the next: "d" → "d"/,
    )
  }))

test('a variable may be named as any function', () =>
  withCatalog(async (opened) => {
    const { catalog } = opened
    const boiler = await makeBoiler(opened)
    for (const { name } of expressionFunctions) {
      const variables = [{ name, streamId: 'flow' }]
      const derivation = { expression: `${name} + abs(${name})`, variables }
      const made = await catalog.streams.insert(owner, boiler.uid, { derivation })
      assert.equal(made.valueType, 'DOUBLE', name)
    }
  }))

test('inputs of shorter intervals are taken, and random ones, by their rollup method', () =>
  withCatalog(async (opened) => {
    const daily = { streamType: 'intvl_stream', baseCycle: 'day' } as const
    const boiler = await makeBoiler(
      opened,
      { id: 'a', ...daily, derivation: over('hourly + daily', 'hourly', 'daily') },
      { id: 'b', ...daily, derivation: over('flow', 'flow') },
      { id: 'c', ...daily, derivation: over('state', 'state') },
      { id: 'd', ...daily, derivation: over('on', 'on') },
    )
    const typeOf = (wanted: string) => boiler.stream?.find(({ id }) => id === wanted)?.valueType
    // The mean of switches is a number; of texts there is the last.
    const types = ['DOUBLE', 'DOUBLE', 'STRING', 'DOUBLE']
    assert.deepEqual(['a', 'b', 'c', 'd'].map(typeOf), types)
  }))

test('a loop is refused with the names along it, over components and saves', () =>
  withCatalog(async (opened) => {
    const { catalog } = opened
    const boiler = await makeBoiler(opened, { id: 'one', derivation: over('flow', 'flow') })
    const one = boiler.stream?.find(({ id }) => id === 'one')
    const house = await catalog.components.insert(owner, { id: 'house' })
    const far = (name: string, componentId: string, streamId: string): Formula => ({
      expression: name,
      variables: [{ name, componentId, streamId }],
    })
    const two = { id: 'two', derivation: far('x', 'boiler', 'one') }
    await catalog.streams.insert(owner, house.uid, two)
    const key = { componentUid: boiler.uid, uid: one?.uid ?? '' }
    const change = { derivation: far('x', 'house', 'two') }
    const { status, message } = await refusalOf(catalog.streams.update(owner, key, change))
    assert.equal(status, 400)
    assert.match(message, /"one" → "house \/ two" → "one"$/)
    const shown = await catalog.streams.get(owner, boiler.uid, key.uid)
    assert.equal(shown.derivation?.expression, 'flow')
    // Within one save.
    const stream = [
      { id: 'p', derivation: over('q', 'q') },
      { id: 'q', derivation: over('r', 'r') },
      { id: 'r', derivation: over('p', 'p') },
    ]
    const loop = await refusalOf(catalog.components.insert(owner, { stream }))
    assert.match(
      loop.message,
      /component\.stream\[0\]\.derivation\.variables make a loop.*"p" → "q" → "r" → "p"$/,
    )
  }))

test('two saves at once cannot make a loop', () =>
  withCatalog(async (opened) => {
    const { catalog } = opened
    for (let round = 0; round < 10; round++) {
      const uids: string[] = []
      for (const side of ['a', 'b']) {
        const { uid } = await catalog.components.insert(owner, {
          id: `${side}${round}`,
          stream: [{ id: 's', valueType: 'DOUBLE' }],
        })
        uids.push(uid)
      }
      const update = async (of: number, from: string) => {
        const { stream = [] } = await catalog.components.get(owner, uids[of])
        const variables = [{ name: 'x', componentId: `${from}${round}`, streamId: 's' }]
        const key = { componentUid: uids[of], uid: stream[0].uid }
        return await catalog.streams.update(owner, key, {
          derivation: { expression: 'x', variables },
        })
      }
      const both = await Promise.allSettled([update(0, 'b'), update(1, 'a')])
      assert.deepEqual(both.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
    }
  }))

test('a formula can be changed, taken away, and put on a stream that had none', () =>
  withCatalog(async (opened) => {
    const { catalog } = opened
    const boiler = await makeBoiler(opened, { id: 'mean', derivation: over('flow', 'flow') })
    const uid = boiler.stream?.find(({ id }) => id === 'mean')?.uid ?? ''
    const key = { componentUid: boiler.uid, uid }
    const changed = await catalog.streams.update(owner, key, {
      derivation: over('flow + 1', 'flow'),
    })
    assert.equal(changed.derivation?.expression, 'flow + 1')
    const text = { derivation: over('state', 'state') }
    const { message } = await refusalOf(catalog.streams.update(owner, key, text))
    assert.match(
      message,
      /valueType DOUBLE cannot store the result of the formula, which is STRING/,
    )
    const off = await catalog.streams.update(owner, key, { streamDerivationType: 'NONE' })
    assert.deepEqual([off.streamDerivationType, off.derivation], ['NONE', undefined])
    assert.equal(catalog.derivations.isEmpty, true)
    const on = await catalog.streams.update(owner, key, { derivation: over('return', 'return') })
    assert.equal(on.streamDerivationType, 'FROM_EXPRESSION')
    assert.equal(catalog.derivations.isEmpty, false)
  }))

test('a record whose source is gone can be sent back, but not changed to something that reads it', () =>
  withCatalog(async (opened) => {
    const { catalog } = opened
    const boiler = await makeBoiler(opened, { id: 'mean', derivation: over('flow', 'flow') })
    const find = (wanted: string) => boiler.stream?.find(({ id }) => id === wanted)?.uid ?? ''
    await catalog.streams.delete(owner, boiler.uid, find('flow'))
    const shown = await catalog.streams.get(owner, boiler.uid, find('mean'))
    assert.deepEqual(
      shown.derivation?.variables.map(({ streamId }) => streamId),
      [''],
    )
    const key = { componentUid: boiler.uid, uid: find('mean') }
    const named = await catalog.streams.update(owner, key, { ...shown, name: 'Mean' })
    assert.equal(named.name, 'Mean')
    const { derivation } = shown
    const changed = { derivation: { ...derivation, expression: 'flow + 1' } }
    const { message } = await refusalOf(catalog.streams.update(owner, key, changed))
    assert.match(message, /variables\[0\]\.streamId refers to a deleted stream/)
  }))

test('a cycle that a formula reads is in use', () =>
  withCatalog(async (opened) => {
    const { catalog } = opened
    const shift = await catalog.cycles.insert(owner, { id: 'shift', sizeType: 'HOUR', count: 8 })
    const variables = [{ name: 'a', streamId: 'flow', cycleId: 'shift', stat: 'max' }]
    await makeBoiler(opened, { id: 'top', derivation: { expression: 'a', variables } })
    const { status, message } = await refusalOf(catalog.cycles.delete(owner, shift.uid))
    assert.equal(status, 409)
    assert.match(message, /stream "top" of component "boiler"/)
  }))

test('the record of a derived stream has its status', () =>
  withCatalog(async (opened) => {
    const { catalog } = opened
    const status = {
      lastRun: 1_700_000_000_000,
      errorCount: 1,
      sampleCount: 5,
      lastError: { message: 'Division by zero', time: 1_600_000_000_000, values: { flow: 0 } },
    }
    const asked: number[] = []
    catalog.showDerivationStatus({
      read: async (handle) => {
        asked.push(handle)
        return status
      },
      newestOf: async (handles) => handles.map(() => undefined),
    })
    const boiler = await makeBoiler(opened, { id: 'inverse', derivation: over('1 / flow', 'flow') })
    const inverse = boiler.stream?.find(({ id }) => id === 'inverse')
    assert.deepEqual(inverse?.derivationStatus, status)
    const flow = boiler.stream?.find(({ id }) => id === 'flow')
    assert.equal(flow && 'derivationStatus' in flow, false)
    assert.deepEqual([...new Set(asked)], [catalog.index.resolve(ORG, 'boiler', 'inverse')])
  }))
