/** What a list of devices can be sorted by. */
export const DEVICE_SORTS = ['name', 'id', 'folder', 'template', 'lastContact'] as const
export type DeviceSort = (typeof DEVICE_SORTS)[number]

/** What a list of devices asks for. */
export interface DeviceQuery {
  readonly start: number
  readonly limit: number
  readonly sort: DeviceSort
  readonly isDescending: boolean
  /** After so long without contact, a device is silent. */
  readonly silentForMs: number
  /** Only silent devices, or only the others; undefined: all. */
  readonly isSilent?: boolean
  /** The ID of a template; '': devices of none. */
  readonly template?: string
  /** This folder and below. */
  readonly folder?: string
  /** `name=value`, or `name=value*`. */
  readonly label?: string
  /** Each must be somewhere in folder, name, or ID. */
  readonly text: string
  /** Parts of the last day that small lines have; 0: no lines. */
  readonly sparkPoints: number
}

/** The last sample of the stream that stands for a device. */
export interface MainValue {
  readonly streamUid: string
  readonly streamId: string
  readonly streamName: string
  /** The symbol of the unit, '' without one. */
  readonly unit: string
  /** Null: no samples yet. */
  readonly time: number | null
  readonly data: number | string | boolean | null
  /** The value with its unit. */
  readonly fData: string
}

/** A device as lists show it. */
export interface Device {
  readonly uid: string
  readonly id: string
  readonly name: string
  readonly folder: string
  /** The ID of its template, '' if it has none. */
  readonly template: string
  /** Epoch milliseconds; null: never. */
  readonly lastContact: number | null
  readonly silent: boolean
  readonly mainValue: MainValue | null
  /** Means of equal parts of the last day, null without a number; absent where the main stream has none. */
  readonly spark?: readonly (number | null)[]
}

/** An organization at a glance, as far as the caller may see it. */
export interface Overview {
  readonly componentCount: number
  readonly streamCount: number
  /** Samples that devices sent to this process in the last minute. */
  readonly samplesPerMinute: number
  readonly silentCount: number
  /** Epoch milliseconds of the last contact of any device; null: there was none. */
  readonly lastContact: number | null
}

/** A page of devices, and how many there are in all. */
export interface DevicePage {
  readonly devices: readonly Device[]
  readonly totalCount: number
}
