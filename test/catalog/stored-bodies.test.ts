import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VALUE_CODE } from '../../src/catalog/shape/index.ts'
import { ownerOf, withCatalog } from '../support/catalog.ts'

const ORG = 'org-1'
const owner = ownerOf(ORG)

/** Every field. */
const wholeComponent = {
  id: 'old',
  name: 'old',
  description: '',
  folder: '/Components',
  timeZoneId: 'UTC',
  creationDate: 1,
  ownerUser: null,
  location: null,
  mainStream: '',
}
const wholeStream = {
  id: 's',
  name: 's',
  description: '',
  streamType: 'rdm_stream',
  valueType: 'DOUBLE',
  unit: null,
  baseCycle: null,
  rollupMethod: 'avg',
  streamDerivationType: 'NONE',
  delete_profile: null,
  location: null,
  order: 0,
  grid: '',
}

test('what is as by default is not stored, and shown all the same', () =>
  withCatalog(async (opened) => {
    const streams = [{ streamId: 's', valueType: 'DOUBLE' as const }]
    await opened.catalog.autoCreate(ORG, [{ compId: 'boiler', rules: {}, streams }])
    const { index } = opened.catalog
    const entry = index.resolveComponent(ORG, 'boiler')
    assert.ok(entry !== undefined)
    const uid = index.streamUid(entry.streams[0])
    const stored = await opened.store.components.getStream(ORG, uid)
    assert.deepEqual([stored?.id, stored?.name, stored?.valueCode], ['s', 's', VALUE_CODE.DOUBLE])
    assert.deepEqual(stored?.more, {})
    const component = await opened.store.components.get(ORG, entry.uid)
    assert.deepEqual([component?.id, component?.folder, component?.more], ['boiler', '', {}])
    assert.deepEqual(await opened.catalog.components.get(owner, entry.uid), {
      ...wholeComponent,
      id: 'boiler',
      name: 'boiler',
      timeZoneId: 'Europe/Berlin',
      ownerUser: { uid: 'owner', name: 'Ann Owner' },
      creationDate: component?.createdAtMs,
      uid: entry.uid,
      revision: 1,
      streamCount: 1,
      stream: [{ ...shown(wholeStream), uid, revision: 1 }],
    })
  }))

test('a name that is blank or another than the ID comes back as it was given', () =>
  withCatalog(async (opened) => {
    const stream = [
      { id: 's', name: '' },
      { id: '', name: 'only a name' },
      { id: '', name: '' },
    ]
    const made = await opened.catalog.components.insert(owner, { id: 'c', name: '', stream })
    await opened.restart()
    assert.deepEqual(await opened.catalog.components.get(owner, made.uid), made)
    assert.deepEqual(
      [made.name, made.stream?.map(({ name }) => name)],
      ['', ['', 'only a name', '']],
    )
  }))

test('every field comes back as it was given, after a restart and an edit of another', () =>
  withCatalog(async (opened) => {
    const { units, deleteProfiles, components } = opened.catalog
    const unit = await units.insert(owner, { id: 'bar', name: 'bar' })
    const profile = await deleteProfiles.insert(owner, { id: 'short', duration: 'P1D' })
    const made = await components.insert(owner, {
      id: 'c',
      name: 'Boiler',
      description: 'in the cellar',
      folder: '/Components/site/hall',
      timeZoneId: 'Asia/Tokyo',
      location: { latitude: 1, longitude: 2 },
      stream: [
        {
          id: 's',
          name: 'Pressure',
          description: 'of water',
          streamType: 'intvl_stream',
          valueType: 'DOUBLE',
          unit: { uid: unit.uid },
          baseCycle: { id: 'hour' },
          rollupMethod: 'max',
          delete_profile: { uid: profile.uid },
          location: { altitude: 3 },
        },
        {
          id: 'd',
          streamDerivationType: 'FROM_EXPRESSION',
          derivation: { expression: 'a + 1', variables: [{ name: 'a', streamId: 's' }] },
        },
      ],
    })
    await opened.restart()
    assert.deepEqual(await opened.catalog.components.get(owner, made.uid), made)
    const edited = await opened.catalog.components.update(owner, made.uid, { name: 'Kettle' })
    assert.deepEqual(edited, { ...made, name: 'Kettle', revision: 2 })
    const stored = await opened.store.components.get(ORG, made.uid)
    assert.equal(stored?.folder, '/site/hall')
  }))

test('labels, series and addresses stay when a component and its streams are changed', () =>
  withCatalog(async (opened) => {
    const { components } = opened.catalog
    const made = await components.insert(owner, { id: 'c', stream: [{ id: 's' }] })
    const { components: reads } = opened.store
    const component = await reads.get(ORG, made.uid)
    const stream = await reads.getStream(ORG, made.stream?.[0].uid ?? '')
    assert.ok(component !== undefined && stream !== undefined)
    const { handle: _, ...put } = stream
    const addressedAs = ['eui:1']
    const series = { host: 'a' }
    await opened.store.commit([
      { ...component, op: 'put_component', addressedAs, expectedRevision: 1, revision: 2 },
      { ...put, op: 'put_stream', series, labels: series, expectedRevision: 1, revision: 2 },
    ])
    await opened.restart()
    const shown = await opened.catalog.components.update(owner, made.uid, {
      description: 'edited',
      stream: [{ uid: stream.uid, name: 'Named' }],
    })
    assert.deepEqual(shown.addressedAs, addressedAs)
    assert.deepEqual(Object.keys(shown).sort(), ['addressedAs', ...Object.keys(made)].sort())
    assert.deepEqual((await opened.store.components.get(ORG, made.uid))?.addressedAs, addressedAs)
    await opened.catalog.streams.update(
      owner,
      { componentUid: made.uid, uid: stream.uid },
      { description: 'x' },
    )
    const found = (await opened.store.components.findSeries(ORG, [series]))[0]
    assert.deepEqual([found?.uid, found?.name, found?.labels], [stream.uid, 'Named', series])
  }))

function shown({ order: _, grid: __, ...stream }: typeof wholeStream) {
  return { ...stream, timeZoneId: '' }
}
