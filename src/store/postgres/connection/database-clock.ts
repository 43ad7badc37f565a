/** The time in SQL, in milliseconds: that of the database, or a parameter where a test has a clock of its own. */
export function nowInSql(param: string): string {
  return `coalesce(${param}::bigint, (extract(epoch FROM clock_timestamp()) * 1000)::bigint)`
}
