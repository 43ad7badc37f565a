import { type FormEvent, useState } from 'react'
import { asApiError } from '../api/api-error.ts'
import { signIn } from '../api/sign-in.ts'
import { Button } from '../ui/button.tsx'
import { Field, FormAlert } from '../ui/field.tsx'
import { Mark } from '../ui/mark.tsx'
import { useTitle } from '../ui/page-frame.tsx'
import styles from './sign-in-form.module.css'

/** The sign-in as a page of its own. */
export function SignInCard() {
  useTitle('Sign in')
  return (
    <main className={styles.place}>
      <div className={styles.brand}>
        <Mark size={32} />
        <span>Weir</span>
      </div>
      <section className={styles.card} aria-labelledby="sign-in-title">
        <h1 id="sign-in-title">Sign in</h1>
        <SignInForm />
      </section>
    </main>
  )
}

/** E-mail, password and, where the account has a second factor, its code. */
export function SignInForm({ email: known = '' }: { readonly email?: string }) {
  const [email, setEmail] = useState(known)
  const [password, setPassword] = useState('')
  const [otp, setOtp] = useState<string>()
  const [error, setError] = useState<string>()
  const [wrongCode, setWrongCode] = useState<string>()
  const [isBusy, setIsBusy] = useState(false)
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (isBusy) return
    setIsBusy(true)
    setError(undefined)
    setWrongCode(undefined)
    try {
      await signIn({ email, password, ...(otp === undefined ? {} : { otp }) })
    } catch (thrown) {
      const { code, message } = asApiError(thrown)
      // The password was right and stays; only the code is asked for.
      if (code === 'second_factor') {
        if (otp !== undefined) setWrongCode(message)
        setOtp('')
      } else setError(message)
    }
    setIsBusy(false)
  }
  return (
    <form onSubmit={submit}>
      <FormAlert>{error}</FormAlert>
      <Field
        label="Email"
        type="email"
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        required
        autoFocus={known === ''}
        value={email}
        onChange={(event) => {
          setEmail(event.currentTarget.value)
          // A code belongs to one account. Another account is asked again, if at all.
          setOtp(undefined)
          setWrongCode(undefined)
        }}
      />
      <Field
        label="Password"
        type="password"
        autoComplete="current-password"
        required
        data-autofocus={known !== '' || undefined}
        value={password}
        onChange={(event) => setPassword(event.currentTarget.value)}
      />
      {otp !== undefined && (
        <Field
          label="Code from your authenticator app, or a recovery code"
          autoComplete="one-time-code"
          autoCapitalize="none"
          spellCheck={false}
          required
          autoFocus
          value={otp}
          error={wrongCode}
          onChange={(event) => setOtp(event.currentTarget.value)}
        />
      )}
      <Button kind="primary" type="submit" isBusy={isBusy} className={styles.submit}>
        Sign in
      </Button>
    </form>
  )
}
