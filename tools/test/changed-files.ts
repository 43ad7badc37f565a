import { execFileSync } from 'node:child_process'

/** Files that differ from a commit, and those that git does not know yet. Of a renamed file both names. */
export function changedFiles(since: string, cwd = '.'): string[] {
  const git = (...words: string[]) =>
    execFileSync('git', words, { cwd, encoding: 'utf8' }).split('\0').filter(Boolean)
  return [
    ...git('diff', '--name-only', '--no-renames', '-z', since),
    ...git('ls-files', '--others', '--exclude-standard', '-z'),
  ]
}
