import type { SignInResult } from '../../data/admin-types.ts'
import { startSession } from '../../data/session.ts'
import { useNavigate } from '../../routing/navigation.tsx'

/**
 * Returns a function for the result of a set-up link or an invitation. Opens the person's profile,
 * or the sign-in page if a second factor is required.
 */
export function useFirstSignIn(): (result: SignInResult) => void {
  const navigate = useNavigate()
  return (result) => {
    if ('person' in result) startSession(result)
    navigate({ to: 'person' in result ? '/profile' : '/sign-in', replace: true })
  }
}
