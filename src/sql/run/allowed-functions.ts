/**
 * The functions of SQLite that compiled GS SQL may call, beside those of the service, which begin with
 * `weir_`. Whatever reads files, loads code, reveals the machine, or makes texts of any length from
 * nothing is not among them.
 */
const names = new Set(
  [
    'abs',
    'coalesce',
    'ifnull',
    'iif',
    'if',
    'length',
    'max',
    'min',
    'nullif',
    'typeof',
    'char',
    'instr',
    'octet_length',
    'substr',
    'avg',
    'count',
    'group_concat',
    'string_agg',
    'sum',
    'total',

    'dense_rank',
    'first_value',
    'lag',
    'last_value',
    'lead',
    'nth_value',
    'rank',
    'row_number',
  ].map((name) => name.toLowerCase()),
)

/** Whether a statement may call the function. */
export function isAllowedFunction(name: string): boolean {
  return name.startsWith('weir_') || names.has(name.toLowerCase())
}
