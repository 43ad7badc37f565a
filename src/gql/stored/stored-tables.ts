import { LABEL_COLUMN, type StoredColumn, type StoredTables } from '../../sql/index.ts'

const text = (name: string): StoredColumn => ({ name, type: 'STRING' })
const long = (name: string): StoredColumn => ({ name, type: 'LONG' })
const any = (name: string): StoredColumn => ({ name, type: 'UNKNOWN' })
const hidden = (column: StoredColumn): StoredColumn => ({ ...column, isHidden: true })

const time: StoredColumn = { ...long('time'), ofSample: 'time' }
const sample: StoredColumn = { ...any('sample'), ofSample: 'sample' }
const bounds = ['timeSd', 'timeEd'].map((name): StoredColumn => {
  return { ...long(name), ofSample: 'other' }
})

const ids = ['cid', 'id', 'cuid', 'uid'].map(text)
const names = ['cname', 'name', 'folderPath'].map(text)

/** The tables of stored data; the first column of each is known without a look into any record. */
export const STORED_TABLES: StoredTables = {
  STREAM: [
    ...ids,
    ...names,
    ...['description', 'timeZoneId', 'streamType', 'sampleValueType', 'unit'].map(text),
    ...['startDate', 'endDate', 'lastUpdated'].map(long),
    any('lastValue'),
    ...[time, sample, ...bounds, text('template')].map(hidden),
  ],
  SAMPLE: [
    ...['CID', 'ID'].map(text),
    { ...time, name: 'TIME' },
    { ...sample, name: 'SAMPLE' },
    ...[...['cuid', 'uid'].map(text), ...names, ...bounds, text('template')].map(hidden),
  ],
  COMPONENT: [
    ...['cid', 'cuid', 'cname', 'folderPath', 'description', 'timeZoneId'].map(text),
    long('creationDate'),
    text('ownerUser'),
    ...['latitude', 'longitude', 'altitude'].map(
      (name): StoredColumn => ({ name, type: 'DOUBLE' }),
    ),
    long('streamCount'),
    text('template'),
    ...['id', 'uid', 'name'].map(text).map(hidden),
  ],
}

/** Columns that are read from the record of a component. */
export const COMPONENT_RECORD: ReadonlySet<string> = new Set(['cname', 'folderpath', 'template'])

/** The label that a column of STREAM is; undefined of any other column. */
export function labelOf(column: string): string | undefined {
  return column.startsWith(LABEL_COLUMN) ? column.slice(LABEL_COLUMN.length) : undefined
}

const STREAM_RECORD: ReadonlySet<string> = new Set(['name', 'description', 'unit'])

/** Whether a column is read from the record of a stream. */
export function isOfStreamRecord(column: string): boolean {
  return STREAM_RECORD.has(column) || labelOf(column) !== undefined
}

/** Columns of samples: who reads one has a row for each sample. */
export const OF_SAMPLES: ReadonlySet<string> = new Set(['time', 'sample', 'timesd', 'timeed'])
