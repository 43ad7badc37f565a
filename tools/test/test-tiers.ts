/** The folder of a test file decides when it runs. */

/** What a test of each slow folder needs, by what its files load; the first that fits is the folder of a test. */
export const SLOW_FOLDERS: Readonly<Record<string, readonly string[]>> = {
  cluster: ['test/support/cassandra.ts', 'test/support/cassandra-nodes.ts'],
  browser: ['playwright-core'],
  databases: [
    'test/support/postgresql-server.ts',
    'test/support/mariadb-server.ts',
    'test/support/influxdb-server.ts',
  ],
  process: ['node:child_process'],
}

/** Tests with programs of third parties: no part of `npm test`. */
export const isProgramTest = (file: string): boolean => file.startsWith('test/programs/')

/** Whether a test needs no browser, JVM, database server, or process of its own. */
export const isQuickTest = (file: string): boolean =>
  !file.startsWith('test/slow/') && !isProgramTest(file)

/** Whether a test is in one of the slow folders. */
export const isIn = (folder: string, file: string): boolean =>
  file.startsWith(`test/slow/${folder}/`)
