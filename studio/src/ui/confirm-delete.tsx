import { type FormEvent, type ReactNode, useState } from 'react'
import { Button } from './button.tsx'
import { Dialog, DialogActions } from './dialog.tsx'
import { Field, FormAlert } from './field.tsx'

interface ConfirmDeleteProps {
  /** What the button says, and the title begins with. */
  readonly verb?: string
  /** What is deleted, such as `component "Boiler"`. */
  readonly what: string
  /** The name that has to be typed. */
  readonly name: string
  /** What goes with it. */
  readonly children?: ReactNode
  /** Deletes; what it throws is shown. */
  readonly onDelete: () => Promise<void>
  readonly onClose: () => void
}

/** Asks for the name of the record, lists what is deleted with it, then deletes. */
export function ConfirmDelete(props: ConfirmDeleteProps) {
  const { verb = 'Delete', what, name, children, onDelete, onClose } = props
  const [typed, setTyped] = useState('')
  const [error, setError] = useState<string>()
  const [isBusy, setIsBusy] = useState(false)
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (isBusy || typed !== name) return
    setIsBusy(true)
    try {
      await onDelete()
      onClose()
    } catch (thrown) {
      setError((thrown as Error).message)
      setIsBusy(false)
    }
  }
  return (
    <Dialog title={`${verb} ${what}?`} onClose={onClose}>
      <form onSubmit={submit}>
        {children}
        <FormAlert>{error}</FormAlert>
        <Field
          label={`Type “${name}” to ${verb.toLowerCase()} it`}
          value={typed}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="danger" type="submit" disabled={typed !== name} isBusy={isBusy}>
            {verb}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
