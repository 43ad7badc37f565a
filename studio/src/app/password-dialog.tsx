import { type FormEvent, useState } from 'react'
import { type Question, useQuestion } from '../api/confirmed.ts'
import { Button } from '../ui/button.tsx'
import { Dialog, DialogActions } from '../ui/dialog.tsx'
import { Field } from '../ui/field.tsx'

/** Where the password is asked for again; once in a page that uses `confirmed`. */
export function PasswordPlace() {
  const question = useQuestion()
  if (question === undefined) return null
  return <PasswordDialog question={question} />
}

function PasswordDialog({ question }: { readonly question: Question }) {
  const [password, setPassword] = useState('')
  const [code, setCode] = useState('')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    question.answer({ password, code })
  }
  const giveUp = () => question.answer(undefined)
  return (
    <Dialog title="Confirm your password" onClose={giveUp}>
      <form onSubmit={submit}>
        <p>This action needs your password because it concerns secrets or permissions.</p>
        <Field
          label="Password"
          type="password"
          autoComplete="current-password"
          required
          autoFocus
          value={password}
          error={question.wrongPassword || undefined}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        {question.wantsCode && (
          <Field
            label="Code from your authenticator app"
            autoComplete="one-time-code"
            spellCheck={false}
            required
            autoFocus
            value={code}
            error={question.wrongCode || undefined}
            onChange={(event) => setCode(event.currentTarget.value)}
          />
        )}
        <DialogActions>
          <Button onClick={giveUp}>Cancel</Button>
          <Button kind="primary" type="submit">
            Continue
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
