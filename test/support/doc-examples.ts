/** Examples of docs/gs-sql.md: a fence of SQL, and below it one of the rows that it gives. */
export interface DocExample {
  readonly sql: string
  readonly rows: string
}

/** The chapter of docs/gs-sql.md whose examples need a home with data. */
export const STORED_CHAPTER = '## Stored data'

/** The examples of the page's chapter of stored data, and of all its others. */
export function docExamples(page: string): { stored: DocExample[]; others: DocExample[] } {
  const chapters = page.split(/^(?=## )/m)
  const of = (isStored: boolean): DocExample[] =>
    chapters
      .filter((chapter) => chapter.startsWith(STORED_CHAPTER) === isStored)
      .flatMap((chapter) => chapter.split('```sql\n').slice(1))
      .map((part) => {
        const [sql, , rows = ''] = part.split(/```(?:text)?\n/)
        return { sql, rows: rows.trimEnd() }
      })
  return { stored: of(true), others: of(false) }
}

/** A row as the page shows it. */
export function shownRow(row: readonly unknown[]): string {
  return row.map((value) => (value === null ? 'NULL' : String(value))).join(' | ')
}
