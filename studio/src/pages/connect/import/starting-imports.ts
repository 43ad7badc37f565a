/** Pairs of statements to begin an import with: what the database answers, and how its rows become samples. */

/** How databases answer times, as text with an offset such as +01:00. */
const ISO = `yyyy-MM-dd''T''HH:mm:ss[.S]${'X'.repeat(3)}`

/** One of them. */
interface StartingImport {
  readonly id: string
  readonly label: string
  readonly hint: string
  readonly externalSql: string
  readonly sql: string
}

/** One for each common form of a table of measurements. */
export const startingImports: readonly StartingImport[] = [
  {
    id: 'wide',
    label: 'A column for each quantity',
    hint: 'Each row has a device, a time, and several values',
    externalSql: 'SELECT device, measured_at, temperature, humidity FROM readings',
    sql: `WITH r AS (
  SELECT *, TOEPOCHMILLIS(at, '${ISO}') AS time
  FROM CSV_TABLE(@JDBC_RESULT) WITH (1 device STRING, 2 at STRING, 3 temp DOUBLE, 4 hum DOUBLE)
)
INSERT OR REPLACE INTO SAMPLE(CID, ID, TIME, SAMPLE)
SELECT device, 'temperature', time, temp FROM r WHERE temp IS NOT NULL
UNION ALL SELECT device, 'humidity', time, hum FROM r WHERE hum IS NOT NULL`,
  },
  {
    id: 'narrow',
    label: 'A row for each value',
    hint: 'Each row has a device, the name of a quantity, a time, and one value',
    externalSql: 'SELECT device, quantity, measured_at, value FROM readings',
    sql: `INSERT OR REPLACE INTO SAMPLE(CID, ID, TIME, SAMPLE)
SELECT device, quantity, TOEPOCHMILLIS(at, '${ISO}'), value
FROM CSV_TABLE(@JDBC_RESULT) WITH (1 device STRING, 2 quantity STRING, 3 at STRING, 4 value DOUBLE)`,
  },
  {
    id: 'epoch',
    label: 'Times in seconds since 1970',
    hint: 'Each row has a device, a number of seconds, and one value',
    externalSql: 'SELECT device, unix_time, temperature FROM readings',
    sql: `INSERT OR REPLACE INTO SAMPLE(CID, ID, TIME, SAMPLE)
SELECT device, 'temperature', seconds * 1000, temp
FROM CSV_TABLE(@JDBC_RESULT) WITH (1 device STRING, 2 seconds LONG, 3 temp DOUBLE)`,
  },
]
