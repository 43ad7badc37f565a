import { useCallback, useEffect, useState } from 'react'
import { type ApiError, asApiError } from '../api/api-error.ts'
import { ownPath } from '../api/base-path.ts'
import { useIsLost } from '../api/connection.ts'
import { useSession } from '../api/session.ts'
import { lookWhoIsThere } from '../api/sign-in.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Empty } from '../ui/empty.tsx'
import { ToastPlace } from '../ui/toast.tsx'
import { Elsewhere } from './foreign-organization.tsx'
import { LostLine } from './lost-line.tsx'
import { navigate } from './place.ts'
import { Shell } from './shell.tsx'
import { SignInCard, SignInForm } from './sign-in-form.tsx'

/** The studio: the sign-in, then the pages; an ended session asks over the page that is open. */
export function App() {
  const session = useSession()
  const isLost = useIsLost()
  const [error, setError] = useState<ApiError>()
  const look = useCallback(async () => {
    setError(undefined)
    try {
      await lookWhoIsThere()
    } catch (thrown) {
      setError(asApiError(thrown))
    }
  }, [])
  // biome-ignore lint/correctness/useExhaustiveDependencies: restart when found again.
  useEffect(() => {
    if (session.state === 'unknown') void look()
  }, [look, isLost])
  const isShown = (session.state === 'in' && !session.isElsewhere) || session.state === 'over'
  useEffect(() => {
    // The address names the organization from the first moment on: a copied address includes it.
    if (isShown) {
      navigate(`${ownPath()}${location.search}${location.hash}`, { replace: true })
    }
  }, [isShown])
  return (
    <>
      <LostLine />
      {session.state === 'unknown' && error !== undefined && !isLost && (
        <Empty text={error.message}>
          <Button onClick={look}>Try again</Button>
        </Empty>
      )}
      {session.state === 'out' && <SignInCard />}
      {session.state === 'in' && session.isElsewhere && <Elsewhere person={session.person} />}
      {isShown && <Shell />}
      {session.state === 'over' && (
        <Dialog title="Sign in again" onClose={() => {}} isFirm>
          <p>Your session has ended. Sign in to continue. Your entries are kept.</p>
          <SignInForm email={session.person.email} />
        </Dialog>
      )}
      <ToastPlace />
    </>
  )
}
