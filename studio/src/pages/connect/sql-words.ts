/** The words of statements that make samples, for colours and completion. */

/** Words of the language. */
export const SQL_WORDS = [
  ...['SELECT', 'DISTINCT', 'ALL', 'FROM', 'WHERE', 'GROUP', 'BY', 'HAVING', 'ORDER', 'LIMIT'],
  ...['OFFSET', 'UNION', 'WITH', 'RECURSIVE', 'JOIN', 'LEFT', 'ON', 'USING', 'INNER', 'CROSS'],
  ...['SET', 'INSERT', 'OR', 'REPLACE', 'INTO', 'SAMPLE', 'JSON_TABLE', 'CSV_TABLE', 'HEADER'],
  ...['DELIMITER', 'AS', 'AND', 'NOT', 'NULL', 'IS', 'IN', 'LIKE', 'BETWEEN', 'CASE', 'WHEN'],
  ...['THEN', 'ELSE', 'END', 'CAST', 'EXISTS', 'TRUE', 'FALSE', 'ASC', 'DESC'],
  ...['STRING', 'LONG', 'DOUBLE', 'BOOLEAN', 'FOLDER_PATH', 'CNAME', 'CID', 'ID', 'TIME'],
] as const

/** What a call, or the result of an import, brings. */
export const SQL_VARIABLES = [
  ['@HTTP_BODY', 'the body as text'],
  ['@HTTP_QUERY_STRING', 'all behind the question mark'],
  ['@HTTP_METHOD', 'PUT, POST, GET or DELETE'],
  ['@JDBC_RESULT', 'the rows of an import as CSV'],
  ['@LAST_RUN_DATE', 'when the import last went through'],
  ['@CONNECTOR_ID', 'the ID of the connector'],
] as const
