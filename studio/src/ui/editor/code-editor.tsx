import {
  type ReactNode,
  type Ref,
  useEffect,
  useEffectEvent,
  useImperativeHandle,
  useRef,
  useState,
} from 'react'
import fieldStyles from '../field.module.css'
import styles from './code-editor.module.css'
import type { Check, CodeLanguage, Complete, EditorHandle, EditorMark } from './editor-types.ts'
import type { EditorLooks, OpenEditor } from './open-editor.ts'

interface CodeEditorProps {
  readonly label: string
  readonly value: string
  readonly onChange: (text: string) => void
  /** How it is coloured; one object for as long as it is the same. */
  readonly language: CodeLanguage
  /** Asked when a text has rested for a moment, and again when another function is given. */
  readonly check?: Check
  readonly complete?: Complete
  /** Called on Ctrl or ⌘ Enter, with the current text. */
  readonly onRun?: (text: string) => void
  readonly hint?: ReactNode
  /** What the service said of the text as a whole. */
  readonly error?: string
  readonly placeholder?: string
  readonly isReadOnly?: boolean
  readonly hasLineNumbers?: boolean
  readonly ref?: Ref<EditorHandle>
}

/** An editor of code with its label, its hint and what is wrong; its parts are loaded when it is first shown. */
export function CodeEditor(props: CodeEditorProps) {
  const { label, value, hint, error, ref } = props
  const host = useRef<HTMLDivElement>(null)
  const [marks, setMarks] = useState<readonly EditorMark[]>([])
  const editor = useOpenEditor(host, props, setMarks)
  useImperativeHandle(
    ref,
    () => ({
      insert: (text) => editor.current?.insert(text),
      goTo: (line, column) => editor.current?.goTo(line, column),
      focus: () => editor.current?.focus(),
      closeSuggestions: () => editor.current?.closeSuggestions(),
    }),
    [editor],
  )
  const wrong = error ?? resultText(marks)
  return (
    <div className={fieldStyles.field}>
      <span className={fieldStyles.label} aria-hidden="true">
        {label}
      </span>
      <div ref={host} className={styles.host} data-lines={value.includes('\n') || undefined} />
      {hint !== undefined && <span className={fieldStyles.hint}>{hint}</span>}
      <MarkLine error={error} marks={marks} text={wrong} />
    </div>
  )
}

interface MarkLineProps {
  readonly error: string | undefined
  readonly marks: readonly EditorMark[]
  readonly text: string | undefined
}

function MarkLine({ error, marks, text }: MarkLineProps) {
  if (error !== undefined) {
    return (
      <span className={`${fieldStyles.error} ${styles.message}`} role="alert">
        {error}
      </span>
    )
  }
  const isWarning = marks[0]?.isWarning === true
  return (
    <span
      className={isWarning ? styles.warning : `${fieldStyles.error} ${styles.message}`}
      aria-live="polite"
    >
      {text}
    </span>
  )
}

/** The first mark in words; those of mistakes come before warnings. */
function resultText(marks: readonly EditorMark[]): string | undefined {
  const [first] = marks
  return first && `Line ${first.line}, column ${first.column}: ${first.message}`
}

function looksOf(props: CodeEditorProps): EditorLooks {
  const { label, language, error, placeholder = '', isReadOnly = false } = props
  const isInvalid = error !== undefined
  return {
    label,
    language,
    placeholder,
    isReadOnly,
    isInvalid,
    hasLineNumbers: props.hasLineNumbers ?? false,
  }
}

/** Texts that were passed to the page and may come back. Older ones count as from outside. */
const TYPED_MAX = 1_000

/** Opens the editor once its files are there, and passes it the state of the page. */
function useOpenEditor(
  host: { readonly current: HTMLDivElement | null },
  props: CodeEditorProps,
  onMarks: (marks: readonly EditorMark[]) => void,
) {
  const editor = useRef<OpenEditor>(undefined)
  const typed = useRef<string[]>([])
  const latest = useRef(props)
  latest.current = props
  const open = useEffectEvent(async (isGone: () => boolean) => {
    const { openEditor } = await import('./open-editor.ts')
    if (isGone() || host.current === null) return
    const { value } = latest.current
    editor.current = openEditor(host.current, value, looksOf(latest.current), () => {
      const { onChange, check, complete, onRun } = latest.current
      const reportTyped = (text: string) => {
        typed.current = [...typed.current, text].slice(-TYPED_MAX)
        onChange(text)
      }
      return { onChange: reportTyped, onMarks, check, complete, onRun }
    })
  })
  useEffect(() => {
    let isGone = false
    void open(() => isGone)
    return () => {
      isGone = true
      editor.current?.close()
      editor.current = undefined
    }
  }, [])
  const { value, check, label, language, error, placeholder, isReadOnly, hasLineNumbers } = props
  useEffect(() => {
    // What comes back of what was typed is behind the editor where somebody types on meanwhile.
    const at = typed.current.lastIndexOf(value)
    typed.current = typed.current.slice(at + 1)
    if (at < 0) editor.current?.setText(value)
  }, [value])
  // biome-ignore lint/correctness/useExhaustiveDependencies: another check is what asks for one.
  useEffect(() => editor.current?.checkAgain(), [check])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the looks are made of these.
  useEffect(
    () => editor.current?.setLooks(looksOf(latest.current)),
    [label, language, error === undefined, placeholder, isReadOnly, hasLineNumbers],
  )
  return editor
}
