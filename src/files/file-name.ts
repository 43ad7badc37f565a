import { FILE_NAME_LENGTH_MAX, refuse } from '../base/index.ts'

/** Refuses a file name that could be mistaken for a path or break a header or a terminal. */
export function checkFileName(name: string): void {
  const mistake = mistakeOf(name)
  if (mistake !== undefined)
    refuse('bad_input', { what: `Cannot use this file name: ${mistake}. Choose another name` })
}

function mistakeOf(name: string): string | undefined {
  if (name.trim() === '' || name === '.') return 'it is blank'
  if (name.length > FILE_NAME_LENGTH_MAX)
    return `it has ${name.length} characters and at most ${FILE_NAME_LENGTH_MAX} are allowed`
  if (name.includes('..')) return 'it contains ".."'
  if (name.includes('/')) return 'it contains "/"'
  if (/\p{Cc}/u.test(name)) return 'it contains a control character'
  return undefined
}
