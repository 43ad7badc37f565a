import { execFileSync } from 'node:child_process'

/** Files that differ from a commit, and those that git does not know yet. */
export function changedFiles(since: string): string[] {
  const git = (...words: string[]) =>
    execFileSync('git', words, { encoding: 'utf8' }).split('\n').filter(Boolean)
  return [
    ...git('diff', '--name-only', since),
    ...git('ls-files', '--others', '--exclude-standard'),
  ]
}
