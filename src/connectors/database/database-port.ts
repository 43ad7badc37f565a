/** What imports ask of a database, whichever it is. Drivers are loaded when the first connection of their kind is opened. */
import type { Socket } from 'node:net'
import type { DriverName } from '../driver/driver-place.ts'

/** The kinds of databases that can be read. */
export const DATABASE_KINDS = ['POSTGRESQL', 'MYSQL', 'SQLSERVER', 'ORACLE'] as const
export type DatabaseKind = (typeof DATABASE_KINDS)[number]

/** Whether a session is encrypted, and whether the server has to prove its name by a certificate. */
export const TLS_MODES = ['off', 'on', 'verify'] as const
export type TlsMode = (typeof TLS_MODES)[number]

/** A database and who signs in to it. */
export interface DatabaseTarget {
  readonly kind: DatabaseKind
  readonly host: string
  readonly port: number
  /** The database; for Oracle the service. Blank: the one that the user has by default. */
  readonly database: string
  readonly user: string
  readonly password: string
  readonly tls: TlsMode
}

/** How long a database may take. */
export interface DatabaseLimits {
  /** To connect and sign in. */
  readonly connectMs: number
  /** To give the next rows; sent to the server too, where it takes such limits. */
  readonly answerMs: number
}

/** The cells of a row as texts, null where the database has NULL. */
export type Row = readonly (string | null)[]

/** Why a database did not give what it was asked for. */
export type DatabaseReason =
  | 'not_allowed'
  | 'no_driver'
  | 'unknown_host'
  | 'refused'
  | 'unreachable'
  | 'timeout'
  | 'sign_in'
  | 'tls'
  | 'sql'
  | 'too_large'
  | 'lost'
  | 'cancelled'

/** What went wrong with a database; the message is for the one who wrote the connection or the SQL. */
export class DatabaseFailure extends Error {
  readonly reason: DatabaseReason
  /** The position in the statement, counted from 1, if the database reports it. */
  readonly place: { readonly line: number; readonly column?: number } | undefined
  /** Whether the message holds words of the server, which may be any. */
  readonly hasServerText: boolean

  constructor(
    reason: DatabaseReason,
    message: string,
    {
      place,
      hasServerText = false,
    }: Partial<Pick<DatabaseFailure, 'place' | 'hasServerText'>> = {},
  ) {
    super(message)
    this.name = 'DatabaseFailure'
    this.reason = reason
    this.place = place
    this.hasServerText = hasServerText
  }
}

/** Our own words: those of a server could contain the password, and hiding them would confirm it. */
export const WRONG_PASSWORD = 'The server rejected the user name or password'

/** The digits of a version; the rest is the server's own text. */
export function versionOf(text: unknown): string {
  return /^\d{1,4}(?:\.\d{1,4}){0,4}/.exec(String(text))?.[0] ?? ''
}

/** How an adapter comes to its connections: every one goes to an address that was judged. */
export interface Outlet {
  /** A connected socket to the target's host and port. */
  connect(): Promise<Socket>
  /** Another one, to the very address that a socket is connected to. */
  connectAgain(socket: Socket): Promise<Socket>
  /** The `require` of an add-on driver; throws a DatabaseFailure when it is not installed. */
  loadDriver(name: DriverName): NodeJS.Require
  /** Whether an address that a driver was led to may be connected to; what is wrong with it, if not. */
  findRefusal(host: string, address: string): string | undefined
}

/**
 * One signed-in session, as an adapter gives it: one statement is run in it, in a transaction that only
 * reads where the database has such. It runs in a thread, which limits what the server sends; `DatabaseSession` limits the time.
 */
export interface DatabaseAdapter {
  /** What the server says it is, such as `PostgreSQL 17.2`. */
  readonly server: string
  /** Runs a statement unchanged; resolves with the names of its columns when they are known. */
  start(sql: string): Promise<readonly string[]>
  /** Returns the next rows in the order of the result, at most `rowsMax`; an empty list at the end. */
  next(rowsMax: number): Promise<readonly Row[]>
  /** Asks the server to stop what it does for this session, by another way than the session itself. */
  cancel(): Promise<void>
  /** Ends the session with manners. */
  close(): Promise<void>
  /** What a driver's error means. */
  translate(error: unknown): DatabaseFailure
}

/** Signs in; throws an OutboundFailure or a DatabaseFailure. */
export type OpenAdapter = (
  target: DatabaseTarget,
  limits: DatabaseLimits,
  outlet: Outlet,
) => Promise<DatabaseAdapter>
