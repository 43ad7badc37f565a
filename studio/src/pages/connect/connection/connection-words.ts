/** Connections in the words of the pages. */
import type { Schema } from '../../../api/paths.ts'

export type Connection = Schema<'Connection'>

/** The kinds of databases. */
export const KIND_WORDS: Readonly<Record<Connection['kind'], string>> = {
  POSTGRESQL: 'PostgreSQL',
  MYSQL: 'MySQL or MariaDB',
  SQLSERVER: 'SQL Server',
  ORACLE: 'Oracle',
}

/** The usual ports. */
export const USUAL_PORTS: Readonly<Record<Connection['kind'], number>> = {
  POSTGRESQL: 5432,
  MYSQL: 3306,
  SQLSERVER: 1433,
  ORACLE: 1521,
}

/** How sessions are encrypted. */
export const TLS_WORDS: Readonly<Record<Connection['tls'], string>> = {
  verify: 'Encrypted, certificate checked',
  on: 'Encrypted, certificate not checked',
  off: 'None',
}

/** A name for lists. */
export function nameOf({ name, id, host }: Connection): string {
  return name || id || host
}
