import { DatabaseSync } from 'node:sqlite'
import { CatalogDamaged } from '../../ports/catalog-port.ts'
import { migrateCatalog } from './catalog-schema.ts'

/** Columns and indexes as SQLite understands them; the text they were made by may be spaced otherwise. */
const SHAPE = `
SELECT t.name, t.type, t.wr, c.cid, c.name AS member, c.type AS declared, c."notnull" AS must, c.pk
FROM pragma_table_list t JOIN pragma_table_xinfo(t.name) c WHERE t.name NOT LIKE 'sqlite_%'
UNION ALL
SELECT i.name, i.origin, i."unique", c.seqno, c.name, c.coll, c.desc, i.partial
FROM pragma_table_list t JOIN pragma_index_list(t.name) i JOIN pragma_index_xinfo(i.name) c
ORDER BY 1, 2, 4`

/** Refuses a database whose tables are not those of this format: a flipped bit can turn a column into another. */
export function checkShape(db: DatabaseSync): void {
  const wanted = new DatabaseSync(':memory:')
  try {
    migrateCatalog(wanted)
    const [found, expected] = [db, wanted].map((one) => JSON.stringify(one.prepare(SHAPE).all()))
    if (found !== expected) throw new CatalogDamaged('its tables are not those that Weir makes')
  } finally {
    wanted.close()
  }
}
