import { type CSSProperties, useCallback, useEffect, useRef } from 'react'
import type { Schema } from '../../../api/paths.ts'
import { Link } from '../../../app/link.tsx'
import { componentPath } from '../../../app/paths.ts'
import { useAddress } from '../../../app/place.ts'
import { fileName } from '../../../chart/chart-series.ts'
import { numberText } from '../../../chart/figures.ts'
import { spacedText } from '../../../chart/unit-text.ts'
import { Button } from '../../../ui/button.tsx'
import { Empty } from '../../../ui/empty.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { Sparkline } from '../../../ui/sparkline.tsx'
import { Age } from '../../../ui/time/age.tsx'
import { VirtualList } from '../../../ui/virtual-list.tsx'
import { ROOT } from '../tree-rows.ts'
import { type DeviceFilters, filtersOf, isFiltered } from './device-filters.ts'
import styles from './devices.module.css'
import { FilterBar } from './filter-bar.tsx'
import { useDevicePages } from './use-device-pages.ts'

type Device = Schema<'Device'>

const ROW_HEIGHT = 56
const DAY_MS = 86_400_000
/** What only rushes by is not read. */
const SETTLE_MS = 60

/** All devices with their last contact, state, main value, and the line of a day; filters and order are in the address. */
export function DeviceList() {
  const { query, change } = useAddress()
  const filters = filtersOf(query)
  const { key, totalCount, error, at, need } = useDevicePages(filters)
  const settling = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  useEffect(() => () => clearTimeout(settling.current), [])
  const onRange = useCallback(
    (range: { readonly from: number; readonly until: number }) => {
      clearTimeout(settling.current)
      settling.current = setTimeout(() => need(range), SETTLE_MS)
    },
    [need],
  )
  const clear = () =>
    change({ text: '', silent: '', template: '', folder: '', label: '' }, { step: true })
  return (
    <section className={styles.devices} aria-label="Devices">
      <FilterBar filters={filters} />
      <p className={styles.count} role="status">
        {error ?? countText(totalCount, filters)}
        {isFiltered(filters) && (
          <Button kind="plain" onClick={clear}>
            Clear filters
          </Button>
        )}
      </p>
      {totalCount === 0 && !isFiltered(filters) && (
        <Empty text="Devices appear here when their first sample arrives." />
      )}
      {totalCount !== undefined && totalCount > 0 && (
        <div className={styles.table} style={{ '--rows': totalCount } as CSSProperties}>
          <Heads filters={filters} />
          <VirtualList
            key={key}
            label="Devices"
            className={styles.rows}
            count={totalCount}
            rowHeight={ROW_HEIGHT}
            onRange={onRange}
            renderRow={(index) => <Row device={at(index)} />}
          />
        </div>
      )}
    </section>
  )
}

function countText(count: number | undefined, filters: DeviceFilters): string {
  if (count === undefined) return 'Loading …'
  const shown = count.toLocaleString('en-GB')
  const noun = count === 1 ? 'device' : 'devices'
  if (!isFiltered(filters)) return `${shown} ${noun}`
  return count === 0 ? 'No matching devices.' : `${shown} matching ${noun}`
}

const HEADS = [
  { sort: 'name', label: 'Device' },
  { sort: 'lastContact', label: 'Last contact' },
] as const

function Heads({ filters }: { readonly filters: DeviceFilters }) {
  const { change } = useAddress()
  const choose = (sort: DeviceFilters['sort']) => {
    const isAgain = filters.sort === sort
    const order = isAgain && filters.order === 'asc' ? 'desc' : 'asc'
    change({
      sort: sort === 'name' ? '' : sort,
      order: order === 'asc' ? '' : order,
    })
  }
  return (
    <div className={styles.heads}>
      {HEADS.map(({ sort, label }) => {
        const isChosen = filters.sort === sort
        const state = filters.order === 'asc' ? 'ascending' : 'descending'
        return (
          <button
            key={sort}
            type="button"
            className={styles.head}
            data-order={isChosen ? filters.order : undefined}
            onClick={() => choose(sort)}
            aria-label={isChosen ? `${label}, sorted ${state}` : `Sort by ${label.toLowerCase()}`}
          >
            {label}
            {isChosen && <Icon name="down" size={14} />}
          </button>
        )
      })}
      <span className={styles.stateHead}>State</span>
      <span className={styles.valueHead}>Main value</span>
      <span className={styles.lineHead}>Last 24 hours</span>
    </div>
  )
}

function Row({ device }: { readonly device: Device | undefined }) {
  if (device === undefined) return <div className={styles.row} aria-busy="true" />
  const { uid, lastContact, silent, mainValue } = device
  const name = device.name || device.id || 'Unnamed'
  const place = device.folder.slice(ROOT.length + 1)
  const firing = Object.values(device.firingAlerts).reduce((sum, count) => sum + count, 0)
  return (
    <Link className={styles.row} to={componentPath(uid)}>
      <span className={styles.name} title={[name, device.id, device.folder].join('\n')}>
        <span className={styles.title}>{name}</span>
        {place !== '' && <span className={styles.place}>{place}</span>}
      </span>
      <span className={styles.contact}>
        {lastContact === null ? 'never' : <Age time={lastContact} />}
      </span>
      <span className={styles.state} data-state={firing > 0 ? 'firing' : silent ? 'silent' : 'ok'}>
        {firing > 0 ? `${firing} firing` : silent ? 'Silent' : 'OK'}
      </span>
      <span className={styles.value} title={mainValue?.streamName || mainValue?.streamId}>
        {mainValue === null || mainValue.data === null ? (
          <span className={styles.none}>–</span>
        ) : (
          valueText(mainValue)
        )}
      </span>
      <span className={styles.line}>
        {device.spark !== undefined && <Line means={device.spark} />}
      </span>
    </Link>
  )
}

/** A value in a list: of a number without a format of its own, as many digits as one takes in. */
function valueText({ data, fData }: NonNullable<Device['mainValue']>): string {
  if (typeof data === 'string' && data.startsWith('/api/')) return fileName(data)
  if (typeof data !== 'number') return fData
  return spacedText(fData.replace(String(data), numberText(data)), data)
}

function Line({ means }: { readonly means: readonly (number | null)[] }) {
  const until = Date.now()
  const from = until - DAY_MS
  const stepMs = DAY_MS / means.length
  const points = means.flatMap((value, at) =>
    value === null ? [] : [{ at: from + (at + 0.5) * stepMs, value }],
  )
  return <Sparkline points={points} from={from} until={until} label="the last 24 hours" />
}
