/** What one service showed in one row of the table. */
export interface Cell {
  readonly value: number
  readonly p50Ms?: number
  readonly p99Ms?: number
  /** What else belongs beside the figure. */
  readonly note?: string
}

/** One line of the table: a piece of work and what each service made of it. */
export interface Row {
  readonly work: string
  readonly unit:
    | 'samples/s'
    | 'streams/s'
    | 'calls/s'
    | 'ms'
    | 'B/sample'
    | 'B/stream'
    | 'MB'
    | 's'
    | 'µs'
    | 'µs/sample'
    | 'ratio'
  /** What Weir is to reach, in words. */
  readonly aim: string
  readonly cells: Readonly<Record<string, Cell>>
}

const WEIR = 'Weir'

/** The better of two cells of one service. */
export function better(unit: Row['unit'], known: Cell | undefined, next: Cell): Cell {
  if (known === undefined) return next
  return isMoreBetter(unit) === next.value > known.value ? next : known
}

function isMoreBetter(unit: Row['unit']): boolean {
  return unit.endsWith('/s')
}

/** The rows as one table in Markdown; a ratio above 1 always speaks for Weir. */
export function printTable(rows: readonly Row[]): string {
  const peers = [...new Set(rows.flatMap((row) => Object.keys(row.cells)))].filter(
    (name) => name !== WEIR,
  )
  const head = ['work', WEIR, ...peers, ...peers.map((peer) => `${WEIR} : ${peer}`), 'aim']
  const lines = rows.map((row) => [
    `${row.work}, ${row.unit}`,
    ...[WEIR, ...peers].map((name) => printCell(row, row.cells[name])),
    ...peers.map((peer) => printRatio(row, row.cells[WEIR], row.cells[peer])),
    row.aim,
  ])
  const widths = head.map((_, column) =>
    Math.max(...[head, ...lines].map((line) => line[column].length)),
  )
  const print = (line: readonly string[]) =>
    `| ${line.map((text, column) => text.padEnd(widths[column])).join(' | ')} |`
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`
  return [print(head), rule, ...lines.map(print)].join('\n')
}

function printCell(row: Row, cell: Cell | undefined): string {
  if (cell === undefined) return '–'
  const figure = printFigure(row, cell.value)
  const isLatency = row.unit === 'ms'
  const { p50Ms, p99Ms } = cell
  const tail = isLatency ? `p99 ${short(p99Ms)}` : `p50 ${short(p50Ms)}, p99 ${short(p99Ms)} ms`
  const latency = p99Ms === undefined ? '' : ` (${tail})`
  return `${figure}${latency}${cell.note === undefined ? '' : `; ${cell.note}`}`
}

function printFigure(row: Row, value: number): string {
  if (row.unit === 'samples/s' && value >= 1e5) return `${(value / 1e6).toFixed(2)} M`
  if (row.unit === 'samples/s') return `${(value / 1e3).toFixed(1)} k`
  if (row.unit === 'calls/s' || row.unit === 'streams/s') return `${(value / 1e3).toFixed(1)} k`
  return short(value)
}

function printRatio(row: Row, mine: Cell | undefined, other: Cell | undefined): string {
  if (mine === undefined || other === undefined) return '–'
  const ratio = isMoreBetter(row.unit) ? mine.value / other.value : other.value / mine.value
  return `${ratio.toFixed(2)}x`
}

function short(value: number | undefined): string {
  if (value === undefined) return '–'
  return value >= 100 ? value.toFixed(0) : value >= 1 ? value.toFixed(2) : value.toFixed(3)
}
