import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Refusal } from '../../src/base/index.ts'
import { ownerOf, withCatalog } from '../support/catalog.ts'

const ORG = 'org-1'
const owner = ownerOf(ORG)
const all = { start: 0, limit: 1_000 }
const refused = (code: string, message: RegExp) => (error: unknown) =>
  error instanceof Refusal && error.code === code && message.test(error.message)

test('units: insert, get, update, list, delete; IDs are unique when not blank', () =>
  withCatalog(async ({ catalog: { units } }) => {
    const celsius = await units.insert(owner, { id: 'c', symbol: 'C', numberFormat: '0,000.00' })
    assert.deepEqual(celsius, {
      uid: celsius.uid,
      id: 'c',
      name: 'c',
      symbol: 'C',
      symbolLocation: 'AFTER',
      numberFormat: '0,000.00',
      booleanStyle: 'TRUE_FALSE',
      revision: 1,
    })
    await units.insert(owner, { name: 'blank one' })
    await units.insert(owner, { name: 'blank two' })
    await assert.rejects(units.insert(owner, { id: 'c' }), refused('claim_taken', /unit.id "c"/))
    const edited = await units.update(owner, celsius.uid, { id: 'd', symbolLocation: 'BEFORE' })
    assert.deepEqual(edited, { ...celsius, id: 'd', symbolLocation: 'BEFORE', revision: 2 })
    await units.insert(owner, { id: 'c' })
    const list = await units.list(owner, { start: 1, limit: 2 })
    assert.deepEqual([list.totalCount, list.records.length], [4, 2])
    await units.delete(owner, celsius.uid)
    await assert.rejects(units.get(owner, celsius.uid), refused('not_found', /Cannot find unit/))
    await assert.rejects(units.delete(owner, celsius.uid), refused('not_found', /Cannot find unit/))
  }))

test('units and delete profiles refuse bad input by field', () =>
  withCatalog(async ({ catalog: { units, deleteProfiles } }) => {
    const unit = (input: object, message: RegExp) =>
      assert.rejects(units.insert(owner, input), refused('bad_input', message))
    await unit({ symbol: 5 }, /unit.symbol must be a string/)
    await unit({ symbolLocation: 'LEFT' }, /unit.symbolLocation must be one of BEFORE, AFTER/)
    await unit({ booleanStyle: 'X' }, /unit.booleanStyle must be one of TRUE_FALSE/)
    await unit({ numberFormat: 'abc' }, /unit.numberFormat "abc" is not a number format/)
    await unit({ id: 'x'.repeat(513) }, /unit.id has 513 characters/)
    const profile = (input: object, message: RegExp) =>
      assert.rejects(deleteProfiles.insert(owner, input), refused('bad_input', message))
    await profile({ count: 0 }, /delete_profile.count must be >= 1/)
    await profile({ count: 1.5 }, /delete_profile.count must be an integer/)
    await profile({ sizeType: 'SECOND' }, /delete_profile.sizeType must be one of MINUTE/)
  }))

test('cycles: the built-in ones are there and fixed, own ones are checked', () =>
  withCatalog(async ({ catalog }) => {
    const { cycles } = catalog
    await cycles.insert(owner, {
      id: 'shift',
      sizeType: 'HOUR',
      count: 8,
      timeZoneId: 'asia/tokyo',
    })
    const { records, totalCount } = await cycles.list(owner, all)
    assert.equal(totalCount, 12)
    assert.deepEqual(
      records.map(({ id }) => id),
      [
        'second',
        '10sec',
        'minute',
        '5min',
        '15min',
        'hour',
        'day',
        'week',
        'month',
        'quarter',
        'year',
        'shift',
      ],
    )
    assert.equal(records[11].timeZoneId, 'Asia/Tokyo')
    assert.deepEqual(
      (await cycles.list(owner, { start: 10, limit: 2 })).records.map(({ id }) => id),
      ['year', 'shift'],
    )
    assert.equal((await catalog.findCycle(ORG, 'quarter'))?.count, 3)
    assert.equal((await catalog.findCycle(ORG, 'shift'))?.timeZone, 'Asia/Tokyo')
    assert.equal(await catalog.findCycle('org-2', 'shift'), undefined)
    const fixed = refused('conflict', /built in/)
    await assert.rejects(cycles.update(owner, records[0].uid, { name: 'x' }), fixed)
    await assert.rejects(cycles.delete(owner, records[0].uid), fixed)
    await assert.rejects(cycles.insert(owner, { id: 'hour' }), refused('claim_taken', /"hour"/))
    const bad = (input: object, message: RegExp) =>
      assert.rejects(cycles.insert(owner, input), refused('bad_input', message))
    await bad({ count: 0 }, /count: 0 is not an integer/)
    await bad({ sizeType: 'DECADE' }, /cycle.sizeType must be one of/)
    await bad({ referenceDate: 'soon' }, /referenceDate: "soon" is not a local date-time/)
    await bad({ timeZoneId: 'Mars' }, /cycle.timeZoneId "Mars" is not an IANA/)
    await bad({ sizeType: 'CUSTOM' }, /needs at least one interval/)
    const overlapping = [
      { from: '2024-01-01', until: '2024-01-03' },
      { from: '2024-01-02', until: '2024-01-04' },
    ]
    await bad({ sizeType: 'CUSTOM', intervals: overlapping }, /overlap/)
  }))

test('templates keep their streams, check them like any stream, and are found by ID', () =>
  withCatalog(async (opened) => {
    const { templates } = opened.catalog
    const stream = [{ id: 'a' }, { id: 'b', streamType: 'intvl_stream', baseCycle: { id: 'day' } }]
    const made = await templates.insert(owner, { id: 't', stream })
    const [a, b] = made.stream
    const edited = await templates.update(owner, made.uid, {
      stream: [{ uid: b.uid, name: 'B' }, { uid: a.uid }],
    })
    assert.deepEqual(
      edited.stream.map(({ uid, name }) => [uid, name]),
      [
        [b.uid, 'B'],
        [a.uid, 'a'],
      ],
    )
    assert.deepEqual(await templates.findById(ORG, 't'), edited)
    const twice = templates.insert(owner, { stream: [{ id: 'a' }, { id: 'a' }] })
    await assert.rejects(
      twice,
      refused('claim_taken', /^component_template\.stream\[1\]\.id "a" is taken/),
    )
    const wrong = templates.insert(owner, { stream: [{ streamType: 'intvl_stream' }] })
    await assert.rejects(wrong, refused('bad_input', /component_template.stream\[0\].baseCycle/))
  }))

test('folders: made with all above, moved and deleted with everything inside', () =>
  withCatalog(async (opened) => {
    const { folders, components, index } = opened.catalog
    const made = await folders.insert(owner, { path: '/Components/a/b/' })
    const paths = async () => (await folders.list(owner, all)).records.map(({ path }) => path)
    assert.deepEqual(await paths(), ['/Components/a', '/Components/a/b'])
    const taken = refused('claim_taken', /already exists/)
    await assert.rejects(folders.insert(owner, { path: '/Components/a' }), taken)
    await assert.rejects(folders.insert(owner, { path: '/Components' }), taken)
    const bad = refused('bad_input', /must start with \/Components/)
    await assert.rejects(folders.insert(owner, { path: '/x' }), bad)
    await assert.rejects(folders.insert(owner, {}), refused('bad_input', /path is missing/))
    const inside = await components.insert(owner, { id: 'in', folder: '/Components/a/b/c' })
    await components.insert(owner, { id: 'beside', folder: '/Components/a/bc' })
    const moved = await folders.update(owner, made.uid, { path: '/Components/z/y' })
    assert.deepEqual([moved.path, moved.name], ['/Components/z/y', 'y'])
    assert.equal((await components.get(owner, inside.uid)).folder, '/Components/z/y/c')
    assert.deepEqual(await paths(), [
      '/Components/a',
      '/Components/a/bc',
      '/Components/z',
      '/Components/z/y',
      '/Components/z/y/c',
    ])
    const into = folders.update(owner, made.uid, { path: '/Components/z/y/inner' })
    await assert.rejects(into, refused('bad_input', /is inside/))
    const narrowed = await components.list(owner, { ...all, folder: '/Components/z' })
    assert.deepEqual(
      narrowed.records.map(({ id }) => id),
      ['in'],
    )
    await folders.delete(owner, made.uid)
    assert.deepEqual(await paths(), ['/Components/a', '/Components/a/bc', '/Components/z'])
    assert.equal(index.resolveComponent(ORG, 'in'), undefined)
    assert.notEqual(index.resolveComponent(ORG, 'beside'), undefined)
  }))
