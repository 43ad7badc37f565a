import {
  PAGE_LIMIT_MAX,
  type QueryPairs,
  readChoice,
  readSingle,
  readWhole,
  refuse,
} from '../../base/index.ts'
import { DEVICE_SORTS, type DeviceQuery, type DeviceSort } from '../../feed/index.ts'

/** A device is silent after an hour without contact, unless a call says otherwise. */
export const SILENT_FOR_MS_DEFAULT = 3_600_000

/** Points of a small line: as many as pixels. */
export const SPARK_POINTS_MAX = 200

/** Reads the parameters of the list of devices. */
export function readDeviceQuery(pairs: QueryPairs): DeviceQuery {
  return {
    start: readWhole(pairs, 'start', { min: 0 }) ?? 0,
    limit: Math.min(readWhole(pairs, 'limit', { min: 1 }) ?? PAGE_LIMIT_MAX, PAGE_LIMIT_MAX),
    sort: readSort(pairs),
    isDescending: readOrder(pairs),
    silentForMs: readSilentFor(pairs),
    isSilent: readChoice(pairs, 'silent'),
    template: readSingle(pairs, 'template'),
    folder: readSingle(pairs, 'folder'),
    label: readSingle(pairs, 'label'),
    text: readSingle(pairs, 'text') ?? '',
    sparkPoints: Math.min(readWhole(pairs, 'sparkPoints', { min: 0 }) ?? 0, SPARK_POINTS_MAX),
  }
}

/** After how long without contact devices are silent. */
export function readSilentFor(pairs: QueryPairs): number {
  return readWhole(pairs, 'silentForMs', { min: 1 }) ?? SILENT_FOR_MS_DEFAULT
}

function readSort(pairs: QueryPairs): DeviceSort {
  const text = readSingle(pairs, 'sort') ?? 'name'
  const found = DEVICE_SORTS.find((sort) => sort === text)
  if (found !== undefined) return found
  const what = `Parameter "sort" must be one of ${DEVICE_SORTS.join(', ')}, got "${text.slice(0, 60)}"`
  return refuse('bad_input', { what })
}

function readOrder(pairs: QueryPairs): boolean {
  const text = readSingle(pairs, 'order') ?? 'asc'
  if (text === 'asc' || text === 'desc') return text === 'desc'
  const what = `Parameter "order" must be asc or desc, got "${text.slice(0, 60)}"`
  return refuse('bad_input', { what })
}
