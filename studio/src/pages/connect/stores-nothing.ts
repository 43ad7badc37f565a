/** Comments, texts and names in quotes: words in them do nothing. */
const ASIDE = /--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|"(?:[^"]|"")*"/g

/** Whether statements store nothing whatever they are called with, as they only select. */
export function storesNothing(sqls: readonly string[]): boolean {
  const said = sqls.map((sql) => sql.replaceAll(ASIDE, ' ')).join('\n')
  return said.trim() !== '' && !/\binsert\b/i.test(said)
}
