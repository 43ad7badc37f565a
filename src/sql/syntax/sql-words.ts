/** Words of statements that are no names unless they are quoted, beside those of expressions. */
export const SQL_KEYWORDS = [
  ...['SELECT', 'DISTINCT', 'ALL', 'FROM', 'WHERE', 'GROUP', 'BY', 'HAVING', 'ORDER', 'LIMIT'],
  ...['OFFSET', 'UNION', 'WITH', 'JOIN', 'ON', 'USING', 'INNER', 'CROSS', 'NATURAL', 'SET'],
  ...['INSERT', 'INTO', 'EXISTS', 'INTERSECT', 'EXCEPT', 'JSON_TABLE', 'CSV_TABLE'],
] as const

/** Words that mean something at their place only, and are names elsewhere. */
export const SOFT_WORDS = [
  ...['LEFT', 'RIGHT', 'FULL', 'OUTER', 'REPLACE', 'RECURSIVE', 'ASC', 'DESC', 'NULLS', 'FIRST'],
  ...['LAST', 'HEADER', 'DELIMITER'],
] as const

/** Words that begin statements of SQL elsewhere. */
export const FOREIGN_STATEMENTS: ReadonlySet<string> = new Set([
  ...['ATTACH', 'DETACH', 'PRAGMA', 'VACUUM', 'CREATE', 'DROP', 'ALTER', 'REINDEX', 'ANALYZE'],
  ...['BEGIN', 'COMMIT', 'ROLLBACK', 'SAVEPOINT', 'RELEASE', 'END', 'EXPLAIN', 'UPDATE', 'DELETE'],
  ...[
    'REPLACE',
    'VALUES',
    'TRUNCATE',
    'MERGE',
    'GRANT',
    'REVOKE',
    'COPY',
    'CALL',
    'EXEC',
    'EXECUTE',
  ],
  ...['DECLARE', 'USE', 'SHOW', 'LOAD'],
])

/** Functions of the rows of a group, with the most arguments that they take as such. */
export const AGGREGATES: ReadonlyMap<string, number> = new Map([
  ...['count', 'sum', 'avg', 'min', 'max'].map((name) => [name, 1] as const),
  ...['first', 'last', 'group_concat'].map((name) => [name, 2] as const),
])
