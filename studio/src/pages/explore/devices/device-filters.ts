/** What the list of devices shows, as the address holds it. */

/** Sorts that the service knows. */
export const SORTS = ['name', 'id', 'folder', 'template', 'lastContact'] as const
type Sort = (typeof SORTS)[number]

/** The filters and the order of the list. */
export interface DeviceFilters {
  readonly text: string
  /** Milliseconds; '': all devices. */
  readonly silent: string
  readonly template: string
  readonly folder: string
  readonly label: string
  readonly sort: Sort
  readonly order: 'asc' | 'desc'
}

/** Reads the filters; unknown sorts count as by name. */
export function filtersOf(query: URLSearchParams): DeviceFilters {
  const of = (name: string) => query.get(name) ?? ''
  const silent = Number(of('silent'))
  return {
    text: of('text'),
    silent: Number.isInteger(silent) && silent > 0 ? String(silent) : '',
    template: of('template'),
    folder: of('folder'),
    label: of('label'),
    sort: SORTS.find((sort) => sort === of('sort')) ?? 'name',
    order: of('order') === 'desc' ? 'desc' : 'asc',
  }
}

/** Whether some devices may be left out. */
export function isFiltered({ text, silent, template, folder, label }: DeviceFilters): boolean {
  return [text, silent, template, folder, label].some((part) => part !== '')
}

/** The parameters of GET /api/device. */
export function parametersOf(filters: DeviceFilters) {
  const { text, silent, template, folder, label, sort, order } = filters
  return {
    sort,
    order,
    ...(text === '' ? {} : { text }),
    ...(silent === '' ? {} : { silent: true, silentForMs: Number(silent) }),
    ...(template === '' ? {} : { template }),
    ...(folder === '' ? {} : { folder }),
    ...(label === '' ? {} : { label }),
  }
}
