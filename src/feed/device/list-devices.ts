import { allows, namedBelow, type Principal, requirePermit } from '../../access/index.ts'
import { nextIteration, sortInSlices } from '../../base/index.ts'
import type { Catalog } from '../../catalog/index.ts'
import { type NamedComponent, readSearch } from '../../catalog/record/index.ts'
import { readFolder, storedFolder } from '../../catalog/shape/index.ts'
import type { DeviceDeps } from './device-deps.ts'
import type { DevicePage, DeviceQuery, DeviceSort, Overview } from './device-query.ts'
import { showDevices } from './show-devices.ts'

/** Devices that are looked at before others get a turn: about a millisecond. */
const SLICE = 5_000

/** A page of devices as the caller may see them; a device is a component. */
export async function listDevices(
  deps: DeviceDeps,
  principal: Principal,
  query: DeviceQuery,
): Promise<DevicePage> {
  const { catalog, contacts } = deps
  const maySee = visibility(principal)
  const { orgUid } = principal
  await contacts.ensure(orgUid)
  const sorted = await inOrder(catalog, orgUid, query)
  const isWanted = await filterOf(deps, principal, query)
  const found: NamedComponent[] = []
  for (const [at, component] of sorted.entries()) {
    if (at % SLICE === SLICE - 1) await nextIteration()
    if (isWanted(component) && maySee(component.uid)) found.push(component)
  }
  const listed = query.sort === 'lastContact' ? await byContact(catalog, found) : found
  if (query.isDescending) listed.reverse()
  const page = listed.slice(query.start, query.start + query.limit)
  const uids = page.map(({ uid }) => uid)
  const devices = await showDevices(deps, principal, uids, query)
  return { devices, totalCount: found.length }
}

/** The figures of all devices that the caller may see; see Overview. */
export async function readOverview(
  { catalog, contacts, now }: DeviceDeps,
  principal: Principal,
  silentForMs: number,
): Promise<Overview> {
  const maySee = visibility(principal)
  const { orgUid } = principal
  const { index } = catalog
  await contacts.ensure(orgUid)
  const figures = { componentCount: 0, streamCount: 0, silentCount: 0 }
  let last = 0
  for (const [at, { uid, ref }] of (await catalog.components.listed(orgUid)).entries()) {
    if (at % SLICE === SLICE - 1) await nextIteration()
    if (!maySee(uid)) continue
    const contact = index.contacts.of(ref)
    last = Math.max(last, contact)
    figures.componentCount += 1
    figures.streamCount += index.streamCountOf(ref)
    if (now - contact > silentForMs) figures.silentCount += 1
  }
  const samplesPerMinute = contacts.rates.perMinute(orgUid)
  return { ...figures, samplesPerMinute, lastContact: last || null }
}

/** Which components the caller may GET; refuses a caller who may GET none. */
function visibility(principal: Principal): (uid: string) => boolean {
  const named = [...namedBelow(principal, 'component')]
  const mayGet = (uid: string) => allows(principal, `component/${uid}`, 'GET')
  if (allows(principal, 'component', 'GET')) {
    const hidden = new Set(named.filter((uid) => !mayGet(uid)))
    return (uid) => !hidden.has(uid)
  }
  const shown = new Set(named.filter(mayGet))
  if (shown.size === 0) requirePermit(principal, 'component', 'GET')
  return (uid) => shown.has(uid)
}

/** The sort keys that only change with the catalog. */
const KEYS: Readonly<Record<Exclude<DeviceSort, 'folder' | 'lastContact'>, KeyOf>> = {
  name: ({ name }) => name,
  id: ({ ref }, { index }) => index.componentIdOf(ref),
  template: ({ template }) => template,
}
type KeyOf = (component: NamedComponent, catalog: Catalog) => string

/** Lists in other orders than that of folders, kept as long as the list that they were sorted from. */
const orders = new WeakMap<readonly NamedComponent[], Map<DeviceSort, Promise<NamedComponent[]>>>()

async function inOrder(
  catalog: Catalog,
  orgUid: string,
  { sort }: DeviceQuery,
): Promise<readonly NamedComponent[]> {
  const listed = await catalog.components.listed(orgUid)
  if (sort === 'folder' || sort === 'lastContact') return listed
  const known = orders.getOrInsertComputed(listed, () => new Map())
  const sorted = known.getOrInsertComputed(sort, () =>
    sortByKey(listed, (one) => KEYS[sort](one, catalog)),
  )
  return await sorted
}

async function sortByKey(
  listed: readonly NamedComponent[],
  keyOf: (component: NamedComponent) => string,
): Promise<NamedComponent[]> {
  const keyed: { readonly component: NamedComponent; readonly key: string }[] = []
  for (const [at, component] of listed.entries()) {
    if (at % SLICE === SLICE - 1) await nextIteration()
    keyed.push({ component, key: keyOf(component) })
  }
  const sorted = await sortInSlices(keyed, (a, b) => (a.key < b.key ? -1 : Number(a.key > b.key)))
  return sorted.map(({ component }) => component)
}

async function byContact(
  { index }: Catalog,
  found: readonly NamedComponent[],
): Promise<NamedComponent[]> {
  const { contacts } = index
  // Contacts may come in while others have their turn.
  const keyed = found.map((component) => ({ component, at: contacts.of(component.ref) }))
  const sorted = await sortInSlices(keyed, (a, b) => a.at - b.at)
  return sorted.map(({ component }) => component)
}

/** Where a device must be; what is left out leaves none of them out. */
export type PlaceFilter = Pick<DeviceQuery, 'template' | 'folder' | 'label'>

/** Those of some components that the caller may see, and that pass a filter. */
export async function componentsInPlace(
  catalog: Catalog,
  principal: Principal,
  { filter, uids }: { readonly filter: PlaceFilter; readonly uids: ReadonlySet<string> },
): Promise<ReadonlySet<string>> {
  const maySee = visibility(principal)
  const isThere = await placeFilterOf(catalog, principal, filter)
  const found = new Set<string>()
  for (const [at, component] of (await catalog.components.listed(principal.orgUid)).entries()) {
    if (at % SLICE === SLICE - 1) await nextIteration()
    const { uid } = component
    if (uids.has(uid) && isThere(component) && maySee(uid)) found.add(uid)
  }
  return found
}

async function placeFilterOf(
  catalog: Catalog,
  principal: Principal,
  { template, label, folder: path }: PlaceFilter,
): Promise<(component: NamedComponent) => boolean> {
  const folder = path === undefined ? undefined : storedFolder(readFolder('folder', path))
  const withLabel =
    label === undefined ? undefined : await catalog.componentsWithLabel(principal, label)
  return (component) => {
    if (template !== undefined && component.template !== template) return false
    if (folder !== undefined && !component.place.startsWith(`${folder}/`)) return false
    return withLabel?.has(component.ref) !== false
  }
}

/** Whether a device passes all filters of a query. */
async function filterOf(
  { catalog, now }: DeviceDeps,
  principal: Principal,
  query: DeviceQuery,
): Promise<(component: NamedComponent) => boolean> {
  const { isSilent, silentForMs } = query
  const words = readSearch(query.text, 'text')
  const isThere = await placeFilterOf(catalog, principal, query)
  const { contacts } = catalog.index
  return (component) => {
    if (words.some((word) => !component.text.includes(word))) return false
    if (!isThere(component)) return false
    return isSilent === undefined || isSilent === now - contacts.of(component.ref) > silentForMs
  }
}
