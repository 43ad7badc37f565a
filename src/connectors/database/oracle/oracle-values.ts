import { trimEndOf } from '../../../base/index.ts'
import { singleText } from '../iso-text.ts'
import type { OracleColumn, OracleDriver } from './oracle-driver.ts'

const WHOLE_SECONDS = '2026-03-05T06:07:08'

/** How the driver is to fetch a column so that nothing is lost; undefined where its own way is good. */
export function fetchTypeOf(driver: OracleDriver, { dbType }: OracleColumn): object | undefined {
  if (dbType === driver.DB_TYPE_NUMBER) return { type: driver.STRING }
  const texts = [
    driver.DB_TYPE_CLOB,
    driver.DB_TYPE_NCLOB,
    driver.DB_TYPE_LONG,
    driver.DB_TYPE_ROWID,
  ]
  if (texts.includes(dbType)) return { type: driver.STRING }
  return dbType === driver.DB_TYPE_BLOB ? { type: driver.BUFFER } : undefined
}

/** The text of a value as the driver gives it: local dates in the process's zone, others as instants. */
export function oracleText(
  driver: OracleDriver,
  value: unknown,
  { dbType }: OracleColumn,
): string | null {
  if (value === null || value === undefined) return null
  if (value instanceof Date) {
    const isInstant =
      dbType === driver.DB_TYPE_TIMESTAMP_TZ || dbType === driver.DB_TYPE_TIMESTAMP_LTZ
    return isInstant ? `${withoutZeros(value.toISOString().slice(0, -1))}Z` : localText(value)
  }
  if (Buffer.isBuffer(value)) return value.toString('base64')
  if (typeof value === 'number' && dbType === driver.DB_TYPE_BINARY_FLOAT) return singleText(value)
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** A local date as it is written in the database: the driver has read it in the zone of the process. */
function localText(date: Date): string {
  const pad = (part: number, length = 2) => String(part).padStart(length, '0')
  const day = `${pad(date.getFullYear(), 4)}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`
  const time = `${pad(date.getHours())}:${pad(date.getMinutes())}:${pad(date.getSeconds())}`
  return withoutZeros(`${day}T${time}.${pad(date.getMilliseconds(), 3)}`)
}

/** Without the zeros at the end of a fraction of seconds. */
function withoutZeros(text: string): string {
  return trimEndOf(trimEndOf(text, '0'), '.').padEnd(WHOLE_SECONDS.length, '0')
}
