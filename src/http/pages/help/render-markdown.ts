/**
 * Markdown to HTML, as far as the documentation uses it: headings, paragraphs, lists, tables, code,
 * emphasis, links, and pictures. Everything else is text, and HTML in a page is shown as text.
 */

/** The address of a link's target as a browser follows it, or undefined where the link is left out. */
type ResolveLink = (target: string) => string | undefined

const ITEM = /^([ ]*)(?:[-*]|\d{1,3}\.) /
const FENCE = /^[ ]*```/

/** The HTML of a page's body. */
export function renderMarkdown(page: string, resolve: ResolveLink): string {
  return renderBlocks(withoutComments(page).split('\n'), resolve)
}

/** The first heading of a page, for its title. */
export function titleOf(page: string): string {
  const line = page.split('\n').find((one) => one.startsWith('# '))
  return line === undefined ? 'Documentation' : line.slice(2).replaceAll('`', '')
}

/** The anchor of a heading, as GitHub makes it. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-')
}

function withoutComments(page: string): string {
  let text = ''
  let from = 0
  for (;;) {
    const start = page.indexOf('<!--', from)
    const end = start < 0 ? -1 : page.indexOf('-->', start)
    if (end < 0) return text + page.slice(from)
    text += page.slice(from, start)
    from = end + '-->'.length
  }
}

function renderBlocks(lines: readonly string[], resolve: ResolveLink): string {
  const html: string[] = []
  let at = 0
  while (at < lines.length) {
    const line = lines[at]
    if (line.trim() === '') {
      at += 1
      continue
    }
    const until = endOfBlock(lines, at)
    html.push(renderBlock(lines.slice(at, until), resolve))
    at = until
  }
  return html.join('\n')
}

function isTable(line: string): boolean {
  return line.startsWith('|')
}

function endOfBlock(lines: readonly string[], from: number): number {
  const first = lines[from]
  if (FENCE.test(first)) {
    const end = lines.findIndex((line, at) => at > from && FENCE.test(line))
    return end < 0 ? lines.length : end + 1
  }
  if (first.startsWith('#')) return from + 1
  const isItem = ITEM.test(first)
  const ends = (line: string, at: number): boolean => {
    if (at <= from) return false
    if (isTable(first)) return !isTable(line)
    // An item goes on below an empty line as long as lines are indented or begin the next item.
    if (isItem && line.trim() === '') return !continuesList(lines[at + 1] ?? '')
    if (isItem) return false
    return line.trim() === '' || isTable(line) || ITEM.test(line) || FENCE.test(line)
  }
  const end = lines.findIndex(ends)
  return end < 0 ? lines.length : end
}

function continuesList(line: string): boolean {
  return ITEM.test(line) || line.startsWith('  ')
}

function renderBlock(lines: readonly string[], resolve: ResolveLink): string {
  const [first] = lines
  if (FENCE.test(first)) return renderFence(lines)
  if (first.startsWith('#')) return renderHeading(first, resolve)
  if (isTable(first)) return renderTable(lines, resolve)
  if (ITEM.test(first)) return renderList(lines, resolve)
  return `<p>${renderInline(lines.map((line) => line.trim()).join('\n'), resolve)}</p>`
}

function renderFence(lines: readonly string[]): string {
  const indent = lines[0].indexOf('```')
  const isClosed = lines.length > 1 && FENCE.test(lines[lines.length - 1])
  const code = lines.slice(1, isClosed ? -1 : undefined).map((line) => line.slice(indent))
  return `<pre tabindex="0"><code>${escapeHtml(code.join('\n'))}</code></pre>`
}

function renderHeading(line: string, resolve: ResolveLink): string {
  const [marks = '#'] = /^#{1,6}/.exec(line) ?? []
  const text = line.slice(marks.length).trim()
  const level = marks.length
  return `<h${level} id="${escapeHtml(anchorOf(text))}">${renderInline(text, resolve)}</h${level}>`
}

function renderTable(lines: readonly string[], resolve: ResolveLink): string {
  const row = (line: string, tag: 'th' | 'td'): string => {
    const cells = cellsOf(line).map((cell) => `<${tag}>${renderInline(cell, resolve)}</${tag}>`)
    return `<tr>${cells.join('')}</tr>`
  }
  const [head, , ...body] = lines
  const rows = body.map((line) => row(line, 'td'))
  return `<div class="table" tabindex="0"><table><thead>${row(head, 'th')}</thead><tbody>${rows.join('\n')}</tbody></table></div>`
}

/** The cells of a row; a bar behind a backslash is text. */
function cellsOf(line: string): string[] {
  const cells = ['']
  const text = line.trim()
  for (let at = 1; at < text.length; at++) {
    const isBar = text[at] === '|'
    if (text[at] === '\\' && text[at + 1] === '|') continue
    if (isBar && text[at - 1] !== '\\') cells.push('')
    else cells[cells.length - 1] += text[at]
  }
  if (text.endsWith('|')) cells.pop()
  return cells.map((cell) => cell.trim())
}

function renderList(lines: readonly string[], resolve: ResolveLink): string {
  const indent = ITEM.exec(lines[0])?.[1].length ?? 0
  const items: string[][] = []
  for (const line of lines) {
    const mark = ITEM.exec(line)
    if (mark !== null && mark[1].length === indent) {
      items.push([line.slice(mark[0].length)])
    } else {
      items[items.length - 1]?.push(line.trim() === '' ? '' : line.replace(/^[ ]{1,4}/, ''))
    }
  }
  const tag = /^[ ]*\d/.test(lines[0]) ? 'ol' : 'ul'
  const html = items.map((item) => `<li>${renderItem(item, resolve)}</li>`)
  return `<${tag}>${html.join('\n')}</${tag}>`
}

/** An item of one paragraph stands without its tags. */
function renderItem(lines: readonly string[], resolve: ResolveLink): string {
  const html = renderBlocks(lines, resolve)
  const isOne = html.startsWith('<p>') && html.indexOf('<p>', 1) < 0
  return isOne ? html.replace('<p>', '').replace('</p>', '') : html
}

/** A part of a text that is more than text, and where it ends. */
interface Span {
  readonly html: string
  readonly end: number
}

function renderInline(text: string, resolve: ResolveLink): string {
  let html = ''
  let from = 0
  let at = 0
  while (at < text.length) {
    const span = spanAt(text, at, resolve)
    if (span === undefined) {
      at += 1
      continue
    }
    html += escapeHtml(text.slice(from, at)) + span.html
    at = span.end
    from = at
  }
  return html + escapeHtml(text.slice(from))
}

function spanAt(text: string, at: number, resolve: ResolveLink): Span | undefined {
  switch (text[at]) {
    case '`':
      return codeAt(text, at)
    case '!':
      return text[at + 1] === '[' ? pictureAt(text, at, resolve) : undefined
    case '[':
      return linkAt(text, at, resolve)
    case '*':
      return emphasisAt(text, at, resolve)
    case '\\':
      return /[\\`*_[\]|<>#]/.test(text[at + 1] ?? '')
        ? { html: escapeHtml(text[at + 1]), end: at + 2 }
        : undefined
    default:
      return undefined
  }
}

function codeAt(text: string, at: number): Span | undefined {
  const mark = text[at + 1] === '`' ? '``' : '`'
  const end = text.indexOf(mark, at + mark.length)
  if (end < 0) return undefined
  const code = text.slice(at + mark.length, end)
  return {
    html: `<code>${escapeHtml(mark === '``' ? code.trim() : code)}</code>`,
    end: end + mark.length,
  }
}

interface Bracketed {
  readonly label: string
  readonly target: string
  readonly end: number
}

/** `[label](target)`, whose label may hold brackets in pairs. */
function bracketedAt(text: string, at: number): Bracketed | undefined {
  let depth = 0
  for (let index = at; index < text.length; index++) {
    if (text[index] === '[') depth += 1
    if (text[index] === ']') depth -= 1
    if (depth > 0) continue
    if (text[index + 1] !== '(') return undefined
    const end = text.indexOf(')', index)
    if (end < 0) return undefined
    return { label: text.slice(at + 1, index), target: text.slice(index + 2, end), end: end + 1 }
  }
  return undefined
}

function linkAt(text: string, at: number, resolve: ResolveLink): Span | undefined {
  const found = bracketedAt(text, at)
  if (found === undefined) return undefined
  const label = renderInline(found.label, resolve)
  const address = resolve(found.target)
  const html = address === undefined ? label : `<a href="${escapeHtml(address)}">${label}</a>`
  return { html, end: found.end }
}

function pictureAt(text: string, at: number, resolve: ResolveLink): Span | undefined {
  const found = bracketedAt(text, at + 1)
  if (found === undefined) return undefined
  const alt = escapeHtml(found.label)
  const address = resolve(found.target)
  const html =
    address === undefined ? alt : `<img src="${escapeHtml(address)}" alt="${alt}" loading="lazy">`
  return { html, end: found.end }
}

function emphasisAt(text: string, at: number, resolve: ResolveLink): Span | undefined {
  const mark = text[at + 1] === '*' ? '**' : '*'
  const from = at + mark.length
  // A star with blanks around it is a star.
  if (/\s/.test(text[from] ?? ' ')) return undefined
  const end = text.indexOf(mark, from)
  if (end <= from) return undefined
  const tag = mark === '**' ? 'strong' : 'em'
  return {
    html: `<${tag}>${renderInline(text.slice(from, end), resolve)}</${tag}>`,
    end: end + mark.length,
  }
}

function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
