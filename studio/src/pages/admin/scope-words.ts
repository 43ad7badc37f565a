const WORDS: Readonly<Record<string, string>> = {
  'feed:read': 'read samples and properties',
  'feed:write': 'send and delete samples and properties',
  admin: 'administer',
}

/** What a service may do for a person, by the words of its scope. */
export function scopeWords(scope: string): string {
  const words = scope.split(' ').filter((word) => word !== '')
  if (words.length === 0 || words.length === Object.keys(WORDS).length)
    return 'everything that you can do'
  return words.map((word) => WORDS[word] ?? word).join(', ')
}
