/** Rows of JSON: one pass gathers what paths lead to, level by level of the arrays that are expanded. */
import { type JsonRaw, JsonText } from '../../expression/index.ts'
import type { JsonStep, JsonTablePlan } from '../compiled-sql.ts'

/** Where a step of some path leads. */
interface Branch {
  readonly members: Map<string, Branch>
  readonly elements: Map<number, Branch>
  /** The columns whose value this is. */
  readonly columns: number[]
  /** What the elements are, where this is the array that is expanded. */
  expands: Branch | undefined
}

/** What one element of an expanded array holds, the document being the first. */
interface Gathered {
  /** Values by column, of the columns of this level. */
  readonly values: (JsonRaw | undefined)[]
  /** The elements of the next array; undefined where it is missing or none. */
  elements: Gathered[] | undefined
}

/** Calls `addRow` with the raw values of each row, by column; undefined where a path matches nothing. */
export function readJsonRows(
  plan: JsonTablePlan,
  text: string,
  addRow: (values: readonly (JsonRaw | undefined)[]) => void,
): void {
  const json = new JsonText(text)
  const root: Gathered = { values: [], elements: undefined }
  gather(json, branchesOf(plan), root)
  json.end()
  const levels = plan.columns.map(({ level }) => level)
  emit(root, { depth: 0, count: plan.levels.length, levels }, (row) => addRow(row))
}

function branchesOf({ levels, columns }: JsonTablePlan): Branch {
  const roots = [newBranch()]
  for (const [index, steps] of levels.entries()) {
    const array = follow(roots[index], steps)
    array.expands = newBranch()
    roots.push(array.expands)
  }
  for (const [index, { level, steps }] of columns.entries()) {
    follow(roots[level], steps).columns.push(index)
  }
  return roots[0]
}

function newBranch(): Branch {
  return { members: new Map(), elements: new Map(), columns: [], expands: undefined }
}

function follow(start: Branch, steps: readonly JsonStep[]): Branch {
  let branch = start
  for (const step of steps) {
    const next = childOf(branch, step) ?? newBranch()
    if (typeof step === 'string') branch.members.set(step, next)
    else branch.elements.set(step, next)
    branch = next
  }
  return branch
}

function childOf({ members, elements }: Branch, step: JsonStep): Branch | undefined {
  return typeof step === 'string' ? members.get(step) : elements.get(step)
}

/** Reads the value here and keeps what the branch leads to. */
function gather(json: JsonText, branch: Branch, into: Gathered): void {
  const start = json.position()
  if (json.isObject()) gatherObject(json, branch, into)
  else if (json.isArray()) gatherArray(json, branch, into)
  else {
    const raw = json.scalar()
    for (const column of branch.columns) into.values[column] = raw
    return
  }
  if (branch.columns.length === 0) return
  const raw: JsonRaw = { is: 'whole', text: json.since(start) }
  for (const column of branch.columns) into.values[column] = raw
}

function gatherObject(json: JsonText, { members }: Branch, into: Gathered): void {
  // Of a repeated name the first counts.
  const met = new Set<Branch>()
  json.walk({
    member: (name) => {
      const child = members.get(name)
      if (child === undefined || met.has(child)) return false
      met.add(child)
      gather(json, child, into)
      return true
    },
  })
}

function gatherArray(json: JsonText, { elements, expands }: Branch, into: Gathered): void {
  const gathered: Gathered[] = []
  if (expands !== undefined) into.elements = gathered
  json.walk({
    element: (index) => {
      const child = elements.get(index)
      if (child !== undefined && expands !== undefined) {
        // The same element is read twice: once for its index, once for its row.
        return gatherBoth(json, { child, expands }, { into, gathered })
      }
      if (child === undefined && expands === undefined) return false
      const own: Gathered = expands === undefined ? into : { values: [], elements: undefined }
      if (expands !== undefined) gathered.push(own)
      gather(json, expands ?? (child as Branch), own)
      return true
    },
  })
}

function gatherBoth(
  json: JsonText,
  { child, expands }: { child: Branch; expands: Branch },
  { into, gathered }: { into: Gathered; gathered: Gathered[] },
): boolean {
  const start = json.position()
  const own: Gathered = { values: [], elements: undefined }
  gathered.push(own)
  gather(json, expands, own)
  gather(new JsonText(json.since(start)), child, into)
  return true
}

interface Level {
  readonly depth: number
  readonly count: number
  /** The level of each column. */
  readonly levels: readonly number[]
}

function emit(
  { values, elements }: Gathered,
  { depth, count, levels }: Level,
  addRow: (values: (JsonRaw | undefined)[]) => void,
): void {
  if (depth === count) {
    addRow(levels.map((level, column) => (level === depth ? values[column] : undefined)))
    return
  }
  for (const element of elements ?? []) {
    emit(element, { depth: depth + 1, count, levels }, (row) => {
      for (const [column, level] of levels.entries()) {
        if (level === depth) row[column] = values[column]
      }
      addRow(row)
    })
  }
}
