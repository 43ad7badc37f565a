/** The part of the Oracle driver that is used here; it brings no types of its own. */

/** A column of a result. */
export interface OracleColumn {
  readonly name: string
  readonly dbType: unknown
}

/** Rows that are fetched as they are asked for. */
export interface OracleResult {
  readonly metaData: readonly OracleColumn[]
  getRows(rowsMax: number): Promise<readonly (readonly unknown[])[]>
}

/** One session. */
export interface OracleConnection {
  callTimeout: number
  readonly oracleServerVersionString: string
  execute(
    sql: string,
    binds: readonly never[],
    options: object,
  ): Promise<{ readonly resultSet?: OracleResult }>
  breakExecution(): Promise<void>
  close(options?: { readonly drop: boolean }): Promise<void>
}

/** The driver, in its thin mode: it speaks the protocol itself. */
export interface OracleDriver {
  readonly OUT_FORMAT_ARRAY: unknown
  readonly STRING: unknown
  readonly BUFFER: unknown
  readonly DB_TYPE_NUMBER: unknown
  readonly DB_TYPE_CLOB: unknown
  readonly DB_TYPE_NCLOB: unknown
  readonly DB_TYPE_LONG: unknown
  readonly DB_TYPE_ROWID: unknown
  readonly DB_TYPE_BLOB: unknown
  readonly DB_TYPE_BINARY_FLOAT: unknown
  readonly DB_TYPE_TIMESTAMP_TZ: unknown
  readonly DB_TYPE_TIMESTAMP_LTZ: unknown
  getConnection(options: object): Promise<OracleConnection>
}

/** The driver, loaded with the first call. */
export function loadOracleDriver(load: NodeJS.Require): OracleDriver {
  return load('oracledb') as OracleDriver
}
