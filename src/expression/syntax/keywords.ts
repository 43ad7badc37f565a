/** Words that are no names unless they are quoted. */
export const EXPRESSION_KEYWORDS: ReadonlySet<string> = new Set([
  ...['AND', 'OR', 'NOT', 'IS', 'IN', 'LIKE', 'BETWEEN', 'NULL', 'TRUE', 'FALSE'],
  ...['CASE', 'WHEN', 'THEN', 'ELSE', 'END', 'CAST', 'AS'],
])
