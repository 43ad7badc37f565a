/** The language of an editor as its page describes it. The editor itself knows no language. */

/** How a piece of code is coloured. */
export type TokenKind = 'keyword' | 'function' | 'name' | 'constant'

/** The looks of a language: what is a comment, a text, a word. */
export interface CodeLanguage {
  /** What begins a comment up to the end of the line. */
  readonly lineComment?: string
  /** What begins and ends a comment. */
  readonly blockComment?: readonly [string, string]
  /** Each begins a text and ends it. */
  readonly quotes?: string
  /** What a word is; undefined leaves it plain. */
  readonly kindOf?: (word: string) => TokenKind | undefined
}

/** A place in the text at which something is to be said. */
export interface EditorMark {
  /** Counted from 1. */
  readonly line: number
  /** Counted from 1, in UTF-16 units. */
  readonly column: number
  readonly length: number
  readonly message: string
  readonly isWarning?: boolean
}

/** Where somebody is typing. */
export interface TypingPlace {
  readonly text: string
  /** The offset of the caret. */
  readonly at: number
  /** What of a word stands before the caret. */
  readonly word: string
  /** Whether it was asked for (Ctrl Space); else somebody just types. */
  readonly isAsked: boolean
}

/** Something that could be written there. */
export interface Suggestion {
  readonly label: string
  /** Behind the label, in a few words. */
  readonly detail?: string
  /** What it does, shown beside the one that is chosen. */
  readonly help?: string
  /** What is written; the label by default. */
  readonly insert?: string
  /** How many characters before the end of it the caret comes to stand. */
  readonly caretBack?: number
  /** From 99 to -99: those with more stand first among those that fit as well. */
  readonly rank?: number
}

/** The suggestions for a place, none when nothing fits. */
export type Complete = (
  place: TypingPlace,
) => readonly Suggestion[] | Promise<readonly Suggestion[]>

/** What is wrong with a text; the signal ends a check that nobody waits for. */
export type Check = (text: string, signal: AbortSignal) => Promise<readonly EditorMark[]>

/** What a page may do to an editor from outside. */
export interface EditorHandle {
  /** Writes a text where the caret is, in the place of what is selected, and goes there. */
  insert(text: string): void
  /** Puts the caret at a place, lines and columns counted from 1, and goes there. */
  goTo(line: number, column: number): void
  focus(): void
  /** Closes the list of suggestions, also one that is on its way. */
  closeSuggestions(): void
}
