/** The editor itself; the only file, with those of its language and looks, that knows CodeMirror. */
import {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
  closeBrackets,
  closeBracketsKeymap,
  closeCompletion,
  completionKeymap,
} from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { bracketMatching } from '@codemirror/language'
import { type Diagnostic, linter } from '@codemirror/lint'
import {
  Annotation,
  Compartment,
  EditorState,
  type Extension,
  StateEffect,
} from '@codemirror/state'
import { EditorView, keymap, lineNumbers, placeholder } from '@codemirror/view'
import { codeLanguage } from './code-language.ts'
import { editorTheme } from './editor-theme.ts'
import type {
  Check,
  CodeLanguage,
  Complete,
  EditorHandle,
  EditorMark,
  Suggestion,
} from './editor-types.ts'

/** How long a text rests before it is checked. */
const CHECK_AFTER_MS = 300

/** What the editor reads while it lives; read again each time, since its page renders again. */
export interface EditorCalls {
  readonly onChange: (text: string) => void
  readonly onMarks: (marks: readonly EditorMark[]) => void
  readonly check: Check | undefined
  readonly complete: Complete | undefined
  readonly onRun: ((text: string) => void) | undefined
}

/** What the editor looks like; may change later. */
export interface EditorLooks {
  readonly label: string
  readonly isReadOnly: boolean
  readonly isInvalid: boolean
  readonly hasLineNumbers: boolean
  readonly placeholder: string
  readonly language: CodeLanguage
}

/** An editor that is open. */
export interface OpenEditor extends EditorHandle {
  /** Shows a text that came from outside; one that is shown already stays, with its caret. */
  setText(text: string): void
  setLooks(looks: EditorLooks): void
  /** Checks the text though it has not changed: what it is checked against has. */
  checkAgain(): void
  close(): void
}

const fromOutside = Annotation.define<true>()
const recheck = StateEffect.define<true>()

/**
 * Opens an editor in an element. It lives in a shadow tree: there its styles are sheets that are made by
 * script, which the policy of the page lets be; in the document they would be inline, which it refuses.
 */
export function openEditor(
  host: HTMLElement,
  text: string,
  looks: EditorLooks,
  calls: () => EditorCalls,
): OpenEditor {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' })
  const shown = new Compartment()
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: text,
      extensions: [
        editorTheme,
        history(),
        bracketMatching(),
        closeBrackets(),
        EditorView.lineWrapping,
        keys(calls),
        typingOver,
        checking(calls),
        autocompletion({ icons: false, override: [(at) => completions(at, calls)] }),
        EditorView.updateListener.of((update) => {
          const isOutside = update.transactions.some((one) => one.annotation(fromOutside) === true)
          if (update.docChanged && !isOutside) calls().onChange(update.state.doc.toString())
        }),
        shown.of(shownBy(looks)),
      ],
    }),
  })
  return { ...handleOf(view), ...controlsOf(view, shown) }
}

function shownBy(looks: EditorLooks): Extension {
  const { label, isReadOnly, isInvalid, hasLineNumbers, language } = looks
  return [
    EditorState.readOnly.of(isReadOnly),
    // One that is only read can still be focused, and its text be copied.
    EditorView.contentAttributes.of({
      'aria-label': label,
      ...(isReadOnly ? { 'aria-readonly': 'true' } : {}),
      ...(isInvalid ? { 'aria-invalid': 'true' } : {}),
    }),
    hasLineNumbers ? lineNumbers() : [],
    looks.placeholder === '' ? [] : placeholder(looks.placeholder),
    codeLanguage(language),
  ]
}

/** Tab leaves the editor, as it leaves every field. */
function keys(calls: () => EditorCalls): Extension {
  const run = (view: EditorView) => {
    const { state } = view
    const { onRun } = calls()
    // Suggestions would cover the result.
    if (onRun !== undefined) closeCompletion(view)
    // What was just typed the page may not have drawn yet.
    onRun?.(state.doc.toString())
    return onRun !== undefined
  }
  return keymap.of([
    { key: 'Mod-Enter', run },
    ...closeBracketsKeymap,
    ...completionKeymap,
    ...defaultKeymap,
    ...historyKeymap,
  ])
}

/**
 * Handles typing over a selection. By default a browser copies the look of the replaced element as an inline style,
 * which the page's content security policy blocks with an error.
 */
const typingOver = EditorView.domEventHandlers({
  beforeinput: (event, view) => {
    const { state } = view
    const { from, to, empty } = state.selection.main
    const { data: text, inputType } = event
    if (inputType !== 'insertText' || text === null || empty || view.composing) return false
    if (state.readOnly || state.selection.ranges.length > 1) return false
    event.preventDefault()
    const insert = () => state.update(state.replaceSelection(text), { userEvent: 'input.type' })
    const handlers = state.facet(EditorView.inputHandler)
    if (!handlers.some((handle) => handle(view, from, to, text, insert))) view.dispatch(insert())
    return true
  },
})

function checking(calls: () => EditorCalls): Extension {
  let running: AbortController | undefined
  const source = async (view: EditorView): Promise<Diagnostic[]> => {
    running?.abort()
    const { check, onMarks } = calls()
    const { doc } = view.state
    if (check === undefined) return []
    running = new AbortController()
    const { signal } = running
    let marks: readonly EditorMark[]
    try {
      marks = await check(doc.toString(), signal)
    } catch {
      // Without an answer no error is known. Saving reports it.
      marks = []
    }
    if (signal.aborted || view.state.doc !== doc) return []
    onMarks(marks)
    return marks.map((mark) => diagnosticOf(view.state, mark))
  }
  const needsRefresh = ({
    transactions,
  }: {
    transactions: readonly { effects: readonly StateEffect<unknown>[] }[]
  }) => transactions.some(({ effects }) => effects.some((effect) => effect.is(recheck)))
  return linter(source, { delay: CHECK_AFTER_MS, needsRefresh })
}

function diagnosticOf(state: EditorState, mark: EditorMark): Diagnostic {
  const from = offsetOf(state, mark.line, mark.column)
  const to = Math.min(state.doc.length, from + Math.max(1, mark.length))
  // At the end of the text the last character shows it.
  const start = from === to ? Math.max(0, from - 1) : from
  const severity = mark.isWarning === true ? 'warning' : 'error'
  return { from: start, to, severity, message: mark.message }
}

function offsetOf({ doc }: EditorState, line: number, column: number): number {
  const { from, to } = doc.line(Math.min(Math.max(1, line), doc.lines))
  return Math.min(to, from + Math.max(0, column - 1))
}

const WORD_BEFORE = /[\p{L}_@][\p{L}\p{N}_@]*$/u

async function completions(
  context: CompletionContext,
  calls: () => EditorCalls,
): Promise<CompletionResult | null> {
  const { complete } = calls()
  const { state, pos: at, explicit: isAsked } = context
  if (complete === undefined || state.readOnly) return null
  const before = state.sliceDoc(state.doc.lineAt(at).from, at)
  const word = WORD_BEFORE.exec(before)?.[0] ?? ''
  if (word === '' && !isAsked) return null
  const found = await complete({ text: state.doc.toString(), at, word, isAsked })
  // A user who has moved on gets no suggestions.
  if (!isAsked && context.view?.hasFocus === false) return null
  const validFor = /^[\p{L}\p{N}_@]*$/u
  return { from: at - word.length, options: found.map(completionOf), validFor }
}

function completionOf(suggestion: Suggestion): Completion {
  const { label, detail, help, insert = label, caretBack = 0, rank } = suggestion
  return {
    label,
    ...(detail === undefined ? {} : { detail }),
    ...(help === undefined ? {} : { info: help }),
    ...(rank === undefined ? {} : { boost: rank }),
    apply: (view, _, from, to) => {
      const anchor = from + insert.length - caretBack
      const changes = { from, to, insert }
      view.dispatch({ changes, selection: { anchor }, userEvent: 'input.complete' })
    },
  }
}

function handleOf(view: EditorView): EditorHandle {
  return {
    focus: () => view.focus(),
    closeSuggestions: () => closeCompletion(view),
    insert: (text) => {
      view.dispatch(view.state.replaceSelection(text), { scrollIntoView: true })
      view.focus()
    },
    goTo: (line, column) => {
      const anchor = offsetOf(view.state, line, column)
      view.dispatch({ selection: { anchor }, scrollIntoView: true })
      view.focus()
    },
  }
}

function controlsOf(view: EditorView, shown: Compartment): Omit<OpenEditor, keyof EditorHandle> {
  return {
    setText: (text) => {
      const { doc } = view.state
      if (doc.toString() === text) return
      const changes = { from: 0, to: doc.length, insert: text }
      view.dispatch({ changes, annotations: fromOutside.of(true) })
    },
    setLooks: (looks) => view.dispatch({ effects: shown.reconfigure(shownBy(looks)) }),
    checkAgain: () => view.dispatch({ effects: recheck.of(true) }),
    close: () => view.destroy(),
  }
}
