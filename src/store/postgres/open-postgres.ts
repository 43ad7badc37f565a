import { Refusal } from '../../base/index.ts'
import { Database, type DatabaseWatch } from './connection/database.ts'
import { startErrorOfPostgres } from './connection/postgres-away.ts'
import { openSchema } from './schema/open-schema.ts'

/** Connects to a database, waits for it where it is away, and makes its tables what this version needs. */
export async function openPostgres(url: string, watch: DatabaseWatch = {}): Promise<Database> {
  for (;;) {
    const database = await Database.open(url, watch)
    try {
      await openSchema(database)
      return database
    } catch (thrown) {
      await database.close()
      const error = startErrorOfPostgres(thrown)
      // Lost since it was opened: the next open waits for it.
      if (!(error instanceof Refusal)) throw error
    }
  }
}
