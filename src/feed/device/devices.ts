import type { Principal } from '../../access/index.ts'
import type { Clock } from '../../base/index.ts'
import type { Catalog } from '../../catalog/index.ts'
import type { SampleStore, TextMemory } from '../../store/index.ts'
import type { ShowFile } from '../get/get-feed.ts'
import type { DeviceDeps } from './device-deps.ts'
import type { DevicePage, DeviceQuery, Overview } from './device-query.ts'
import type { LastContacts } from './last-contacts.ts'
import { listDevices, readOverview } from './list-devices.ts'

interface Deps {
  readonly catalog: Catalog
  readonly clock: Clock
  readonly contacts: LastContacts
  readonly showFile: ShowFile
  readonly store: SampleStore
}

/** Devices with their last contact and main value. */
export class Devices {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** A page of the devices that the caller may see; see listDevices. */
  async list(principal: Principal, query: DeviceQuery, memory?: TextMemory): Promise<DevicePage> {
    return await listDevices({ ...this.#reading, memory }, principal, query)
  }

  /** The figures of the devices that the caller may see. */
  async overview(principal: Principal, silentForMs: number): Promise<Overview> {
    return await readOverview(this.#reading, principal, silentForMs)
  }

  get #reading(): DeviceDeps {
    const { clock, store } = this.#deps
    return { ...this.#deps, store: store.reads?.() ?? store, now: clock.now() }
  }
}
