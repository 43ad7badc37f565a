/**
 * What makes a new password too easy to guess. Guessing programs try words, names, dates and runs of
 * keys, and then a few characters around them, so each of these counts for little, however long it is.
 */
import { PASSWORD_LENGTH_MAX } from '../../base/index.ts'
import { isCommonPassword } from './common-passwords.ts'
import { commonWords } from './common-words.ts'

/** Whose password it is to be: what everybody knows of them is no secret. */
export interface PasswordPerson {
  readonly email: string
  readonly firstName?: string
  readonly lastName?: string
  /** The names of the organizations that the person belongs to. */
  readonly organizations?: readonly string[]
}

/** Minimum length of new passwords. Existing shorter passwords remain valid. */
const NEW_PASSWORD_LENGTH_MIN = 10
/** What the parts of a password must be worth together, in characters that nobody foresees. */
const WORTH_MIN = 7
const WORD_WORTH = 2
const RUN_WORTH = 1
const DIGIT_WORTH = 0.5
const RUN_LENGTH_MIN = 3
const OWN_WORD_LENGTH_MIN = 3
/** Organizations of a person whose names are looked at; it bounds the work. */
const OWN_NAMES_MAX = 10
/** More than this cannot be too little any more, whatever it is made of; it also bounds the work. */
const LOOKED_AT_MAX = 128

const rows = [
  'abcdefghijklmnopqrstuvwxyz',
  '01234567890',
  'qwertyuiop',
  'asdfghjkl',
  'zxcvbnm',
  'qwertzuiop',
  'yxcvbnm',
  'azertyuiop',
  'qsdfghjklm',
  'wxcvbn',
  '1qaz2wsx3edc4rfv5tgb6yhn7ujm',

  '1q2w3e4r5t6y7u8i9o0p',
  'q1w2e3r4t5y6u7i8o9p0',
  '!@#$%^&*()',
  '!"§$%&/()=',
  '147258369',
  'qazwsxedcrfvtgbyhnujm',
]
const runs = rows.flatMap((row) => [row, [...row].reverse().join('')])
const likeLetters: Readonly<Record<string, string>> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '8': 'b',
  '@': 'a',
  $: 's',
  '!': 'i',
}
const words = [...new Set(commonWords)].sort((a, b) => b.length - a.length)

/** Why a new password cannot be taken, as the end of a sentence; undefined: it can. */
export function findPasswordWeakness(password: string, person: PasswordPerson): string | undefined {
  const { length } = password
  if (length < NEW_PASSWORD_LENGTH_MIN || length > PASSWORD_LENGTH_MAX) {
    return `must have ${NEW_PASSWORD_LENGTH_MIN} to ${PASSWORD_LENGTH_MAX} characters`
  }
  if (isCommonPassword(password, NEW_PASSWORD_LENGTH_MIN)) {
    return 'is a very common password. Use several unusual words'
  }
  if (worthOf(password, ownWordsOf(person)) >= WORTH_MIN) return undefined
  return 'is too easy to guess. Use several unusual words. Common words, your name or email address, years, repeated characters, and keyboard sequences add little'
}

function worthOf(password: string, ownWords: readonly string[]): number {
  const typed = password.normalize('NFKC').toLowerCase().slice(0, LOOKED_AT_MAX)
  const spelled = [...typed].map((character) => likeLetters[character] ?? character).join('')
  const seen = new Set<string>()
  let worth = 0
  for (let at = 0; at < typed.length && worth < WORTH_MIN; ) {
    const piece = pieceAt({ typed, spelled, at }, ownWords)
    const text = typed.slice(at, at + piece.length)
    // What was there before is not counted again.
    if (!seen.has(text)) worth += piece.worth
    seen.add(text)
    at += piece.length
  }
  return worth
}

interface Piece {
  readonly length: number
  readonly worth: number
}

/** The longest part from a place on that a guessing program would try as a whole. */
function pieceAt(
  { typed, spelled, at }: { readonly typed: string; readonly spelled: string; readonly at: number },
  ownWords: readonly string[],
): Piece {
  const startsHere = (word: string) => typed.startsWith(word, at) || spelled.startsWith(word, at)
  const own = ownWords.find(startsHere)?.length ?? 0
  const word = words.find(startsHere)?.length ?? 0
  const run = Math.max(runLength(typed, at), repeatLength(typed, at), yearLength(typed, at))
  const longest = Math.max(own, word, run)
  if (longest >= RUN_LENGTH_MIN) {
    const isWord = word === longest && own < longest && run < longest
    return { length: longest, worth: isWord ? WORD_WORTH : RUN_WORTH }
  }
  const character = typed[at]
  return { length: 1, worth: /\d/.test(character) ? DIGIT_WORTH : 1 }
}

function runLength(text: string, at: number): number {
  let longest = 0
  for (const run of runs) {
    let from = run.indexOf(text[at])
    while (from >= 0) {
      let length = 1
      while (at + length < text.length && run[from + length] === text[at + length]) length += 1
      longest = Math.max(longest, length)
      from = run.indexOf(text[at], from + 1)
    }
  }
  return longest >= RUN_LENGTH_MIN ? longest : 0
}

/** One character several times, or a group of characters again and again. */
function repeatLength(text: string, at: number): number {
  let length = 1
  while (text[at + length] === text[at]) length += 1
  return length >= RUN_LENGTH_MIN ? length : 0
}

function yearLength(text: string, at: number): number {
  return /^(?:19|20)\d\d$/.test(text.slice(at, at + 4)) ? 4 : 0
}

function ownWordsOf(person: PasswordPerson): string[] {
  const { email, firstName = '', lastName = '', organizations = [] } = person
  const [local = '', domain = ''] = email.split('@')
  const texts = [local, domain, firstName, lastName, ...organizations.slice(0, OWN_NAMES_MAX)].map(
    (text) => text.toLowerCase(),
  )
  const parts = texts.flatMap((text) => [text, ...text.split(/[^\p{L}\p{N}]+/u)])
  const long = parts.filter((part) => part.length >= OWN_WORD_LENGTH_MIN)
  return [...new Set(long)].sort((a, b) => b.length - a.length)
}
