/** A service with an import from a database of the test, and what tests do with it. */
import assert from 'node:assert/strict'
import { type Call, caller, signIn } from './caller.ts'
import { type Service, startService } from './service.ts'
import { eventually } from './settle.ts'
import type { SharedServer } from './shared-databases.ts'

/** A run as the API returns it. */
interface Run {
  readonly uid: string
  readonly status: string
  readonly rowsFetched: number
  readonly rowsIngested: number
  readonly rowsSkipped: number
  readonly samples: number
  readonly message: string
}

/** Settings under which a service may reach databases of this machine. */
export const LOCAL = { WEIR_OUTBOUND_ALLOW: '127.0.0.1', WEIR_RATE_LIMITS: 'off' }

/** Samples of the rows of a table `readings`: device, at (epoch ms), temperature. */
export const INGEST = `INSERT OR REPLACE INTO SAMPLE(CID, ID, TIME, SAMPLE)
SELECT device, 'temp', at, temp FROM CSV_TABLE(@JDBC_RESULT) WITH (1 device STRING, 2 at LONG, 3 temp DOUBLE);`

/** What tests do with a service that imports. */
export class ImportHome {
  readonly service: Pick<Service, 'url'>
  readonly owner: Call
  readonly userUid: string
  readonly connectionUid: string

  private constructor(
    parts: Omit<ImportHome, 'insert' | 'start' | 'runsOf' | 'ended' | 'run' | 'samplesOf'>,
  ) {
    this.service = parts.service
    this.owner = parts.owner
    this.userUid = parts.userUid
    this.connectionUid = parts.connectionUid
  }

  /** Signs the owner in and saves a connection, unless there is one. */
  static async open(
    service: Pick<Service, 'url'>,
    account: { readonly email: string; readonly password: string },
    kind: 'POSTGRESQL' | 'MYSQL',
    server: Pick<SharedServer, 'port'>,
  ): Promise<ImportHome> {
    const owner = caller(service, await signIn(service, account.email, account.password))
    const users = await owner('GET', '/api/org_user')
    const listed = await owner('GET', '/api/connection')
    let connection = listed.body.connection[0]
    if (connection === undefined) {
      const made = await owner('PUT', '/api/connection', {
        connection: {
          kind,
          host: '127.0.0.1',
          port: server.port,
          database: 'weir',
          user: 'weir',
          password: 'the-password',
          tls: 'off',
        },
      })
      assert.equal(made.status, 200, made.text)
      connection = made.body.connection
    }
    const userUid = users.body.org_user[0].uid
    return new ImportHome({ service, owner, userUid, connectionUid: connection.uid })
  }

  /** Saves an import; answers its UID. */
  async insert(fields: object): Promise<string> {
    const made = await this.owner('PUT', '/api/connector', {
      connector: {
        connType: 'DB_IMPORT',
        connection: { uid: this.connectionUid },
        runningUser: { uid: this.userUid },
        externalSql: 'SELECT device, at, temp FROM readings ORDER BY at',
        procs: [{ timeZoneId: 'UTC', sql: INGEST }],
        ...fields,
      },
    })
    assert.equal(made.status, 200, made.text)
    return made.body.connector.uid
  }

  /** Begins a run; answers its UID. */
  async start(uid: string): Promise<string> {
    const begun = await this.owner('POST', `/api/connector/${uid}/run`)
    assert.equal(begun.status, 200, begun.text)
    return begun.body.run.uid
  }

  /** The runs of an import, the newest first. */
  async runsOf(uid: string): Promise<readonly Run[]> {
    return (await this.owner('GET', `/api/connector/${uid}/run`)).body.run
  }

  /** A run when it is over. */
  async ended(uid: string, runUid: string): Promise<Run> {
    return await eventually(async () => {
      const run = (await this.runsOf(uid)).find((one) => one.uid === runUid)
      assert.ok(run !== undefined && run.status !== 'RUNNING', JSON.stringify(run))
      return run
    })
  }

  /** Runs an import to its end. */
  async run(uid: string): Promise<Run> {
    return await this.ended(uid, await this.start(uid))
  }

  /** Times and values of a stream. */
  async samplesOf(
    compId: string,
    streamId = 'temp',
  ): Promise<readonly (readonly [number, unknown])[]> {
    const path = `/api/comp/${compId}/stream/${streamId}/feed?limit=1000`
    const { status, body } = await this.owner('GET', path)
    if (status === 404) return []
    assert.equal(status, 200)
    const samples = body as { readonly time: number; readonly data: unknown }[]
    return samples.map(({ time, data }) => [time, data] as const).reverse()
  }
}

/** A service of the test with an import home. */
export async function startImportHome(
  kind: 'POSTGRESQL' | 'MYSQL',
  server: SharedServer,
  options: Parameters<typeof startService>[0] = {},
): Promise<{
  service: Service
  home: ImportHome
  reopen: (settings?: Readonly<Record<string, string>>) => Promise<ImportHome>
}> {
  const service = await startService({ ...options, settings: { ...LOCAL, ...options.settings } })
  const account = { email: service.ownerEmail, password: service.ownerPassword }
  const open = () => ImportHome.open(service, account, kind, server)
  const home = await open()
  const reopen = async (settings: Readonly<Record<string, string>> = {}) => {
    await service.restart(settings)
    return await open()
  }
  return { service, home, reopen }
}
