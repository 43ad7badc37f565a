/** One server of each kind for all tests of a process: to make and start one takes seconds of CPU time. */
import { atEnd } from './at-end.ts'
import { startMariadb } from './mariadb-server.ts'
import { type DatabaseServer, startPostgresql } from './postgresql-server.ts'

/** A server that its tests do not stop. */
export type SharedServer<Server extends DatabaseServer = DatabaseServer> = Omit<
  Server,
  'stop' | 'empty'
>

function shared<Server extends DatabaseServer>(
  start: () => Promise<Server>,
): () => Promise<SharedServer<Server>> {
  let running: Promise<Server> | undefined
  return async () => {
    if (running !== undefined) {
      const server = await running
      await server.empty()
      return server
    }
    running = start()
    const server = await running
    atEnd(() => server.stop())
    return server
  }
}

/** The PostgreSQL of this process, with an empty database `weir`. */
export const sharedPostgresql = shared(startPostgresql)

/** The MariaDB of this process, with an empty database `weir`. */
export const sharedMariadb = shared(startMariadb)
