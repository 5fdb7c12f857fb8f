import { stepUpMinutes } from '@posthorn/contracts/admin/roles'
import { AppError } from '@posthorn/errors'
import type { SignedIn } from './signed-in.ts'

/**
 * Milliseconds after a sign-in or repeated factor in which actions that need a step-up are allowed.
 */
const stepUpMs = stepUpMinutes * 60_000

/**
 * Rejects a session whose last factor is older than ten minutes.
 *
 * @throws AppError `forbidden` with the code `StepUpRequired`
 */
export function requireRecentFactor({ session }: SignedIn): void {
  if (Date.now() - session.factorAt.getTime() <= stepUpMs) return
  throw new AppError('forbidden', 'Confirm your identity again to continue', {
    code: 'StepUpRequired',
  })
}

/**
 * Rejects everyone but owners.
 *
 * @throws AppError `forbidden` with `requiredRole`
 */
export function requireOwner({ person }: SignedIn): void {
  if (person.role === 'owner') return
  throw new AppError('forbidden', 'Only owners may do this', { extras: { requiredRole: 'owner' } })
}
