import {
  type DatabaseAdapter,
  DatabaseFailure,
  type DatabaseLimits,
  type DatabaseTarget,
  type Outlet,
  type Row,
  versionOf,
  WRONG_PASSWORD,
} from '../database-port.ts'
import { requireOracleReading } from '../reading/require-reading.ts'
import { placeAt } from '../text-place.ts'
import { guardOracle } from './guard-oracle.ts'
import {
  loadOracleDriver,
  type OracleConnection,
  type OracleDriver,
  type OracleResult,
} from './oracle-driver.ts'
import { fetchTypeOf, oracleText } from './oracle-values.ts'

/** Signs in to Oracle Database and begins a transaction that only reads. */
export async function openOracle(
  target: DatabaseTarget,
  limits: DatabaseLimits,
  outlet: Outlet,
): Promise<DatabaseAdapter> {
  const load = outlet.loadDriver('oracle')
  guardOracle(load, outlet.findRefusal)
  const driver = loadOracleDriver(load)
  // The driver connects by itself; that the host answers is reported here as it is for the others.
  const probe = await outlet.connect()
  probe.destroy()
  try {
    const connection = await driver.getConnection({
      user: target.user,
      password: target.password,
      connectString: connectStringOf(target, limits),
    })
    connection.callTimeout = limits.answerMs
    await connection.execute('SET TRANSACTION READ ONLY', [], {})
    return new OracleAdapter(driver, connection)
  } catch (error) {
    throw translate(error, '')
  }
}

/** Host and service are checked where connections are saved: neither can hold a parenthesis. */
function connectStringOf(target: DatabaseTarget, { connectMs }: DatabaseLimits): string {
  const { host, port, database, tls } = target
  const seconds = Math.max(1, Math.ceil(connectMs / 1_000))
  const protocol = tls === 'off' ? 'TCP' : 'TCPS'
  const match = tls === 'verify' ? 'ON' : 'OFF'
  const timeouts = `(CONNECT_TIMEOUT=${seconds})(TRANSPORT_CONNECT_TIMEOUT=${seconds})(RETRY_COUNT=0)`
  const address = `(ADDRESS=(PROTOCOL=${protocol})(HOST=${host})(PORT=${port}))`
  const data = `(CONNECT_DATA=(SERVICE_NAME=${database}))(SECURITY=(SSL_SERVER_DN_MATCH=${match}))`
  return `(DESCRIPTION=${timeouts}${address}${data})`
}

class OracleAdapter implements DatabaseAdapter {
  readonly server: string
  readonly #driver: OracleDriver
  readonly #connection: OracleConnection
  #result: OracleResult | undefined
  #sql = ''

  constructor(driver: OracleDriver, connection: OracleConnection) {
    this.#driver = driver
    this.#connection = connection
    this.server = `Oracle Database ${versionOf(connection.oracleServerVersionString)}`
  }

  async start(sql: string): Promise<readonly string[]> {
    this.#sql = sql
    requireOracleReading(sql)
    const driver = this.#driver
    const { resultSet } = await this.#connection.execute(sql, [], {
      resultSet: true,
      outFormat: driver.OUT_FORMAT_ARRAY,
      fetchTypeHandler: (column: { name: string; dbType: unknown }) => fetchTypeOf(driver, column),
    })
    if (resultSet === undefined) throw new DatabaseFailure('sql', 'The statement returns no rows')
    this.#result = resultSet
    return resultSet.metaData.map(({ name }) => name)
  }

  async next(rowsMax: number): Promise<readonly Row[]> {
    const result = this.#result
    if (result === undefined) return []
    const rows = await result.getRows(rowsMax)
    const columns = result.metaData
    return rows.map((row) => row.map((cell, at) => oracleText(this.#driver, cell, columns[at])))
  }

  async cancel(): Promise<void> {
    await this.#connection.breakExecution()
  }

  async close(): Promise<void> {
    await this.#connection.close({ drop: true })
  }

  translate(error: unknown): DatabaseFailure {
    return translate(error, this.#sql)
  }
}

const WRONG_PASSWORD_CODE = 'ORA-01017'
/** Without a password, locked, expired, unknown service. */
const SIGN_IN_CODE = /^(?:ORA-(?:01005|01045|12514|12505|28000|28001)|NJS-(?:116|518|519))$/
const TIME_CODE = /^(?:NJS-123|ORA-01013)$/

function translate(error: unknown, sql: string): DatabaseFailure {
  if (error instanceof DatabaseFailure) return error
  const { code = '', message, offset } = error as Error & { code?: string; offset?: number }
  const text = message.split('\n')[0]
  if (code === WRONG_PASSWORD_CODE) return new DatabaseFailure('sign_in', WRONG_PASSWORD)
  const hasServerText = code.startsWith('ORA-')
  if (SIGN_IN_CODE.test(code)) return new DatabaseFailure('sign_in', text, { hasServerText })
  if (TIME_CODE.test(code)) return new DatabaseFailure('timeout', text)
  if (/TLS|SSL|certificate/i.test(text)) return new DatabaseFailure('tls', text)
  if (/^ORA-(?!0(?:3113|3114|3135))/.test(code)) {
    const place = offset === undefined ? undefined : placeAt(sql, offset)
    return new DatabaseFailure('sql', text, { place, hasServerText })
  }
  return new DatabaseFailure('lost', `The connection was lost: ${text}`, { hasServerText })
}
