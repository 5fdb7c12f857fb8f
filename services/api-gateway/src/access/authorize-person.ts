import type { RightsInput } from '@posthorn/contracts/admin/input-rights'
import {
  mayCall,
  needsStepUp,
  readsMail,
  requiredRoleOf,
  stepUpMinutes,
} from '@posthorn/contracts/admin/roles'
import { AppError } from '@posthorn/errors'
import type { AdminSession } from '../store/access/admin-sessions.ts'

/** Rights of a person at the administration pages that decide which API requests are allowed. */
export type PersonRights = Pick<AdminSession, 'role' | 'readsMail' | 'hasFreshFactor'>

/**
 * Checks that a person may call an API operation: first the role, then the right to read mail, then
 * the age of the last factor. With an input, also checks what only some requests of the operation
 * need.
 *
 * @throws AppError `forbidden`
 */
export function authorizePerson(
  operationId: string,
  person: PersonRights,
  input?: RightsInput,
): void {
  if (!mayCall(person.role, operationId, input)) {
    const requiredRole = requiredRoleOf(operationId, input)
    throw new AppError('forbidden', `The request needs the role ${requiredRole}`, {
      extras: { requiredRole },
    })
  }
  if (readsMail(operationId, input) && !person.readsMail)
    throw new AppError(
      'forbidden',
      'The right to read mail is not active: activate it with a reason',
      { code: 'MailReadingRequired' },
    )
  if (needsStepUp(operationId, input) && !person.hasFreshFactor)
    throw new AppError(
      'forbidden',
      `The last sign-in is more than ${stepUpMinutes} minutes ago: confirm it with a password, code or passkey`,
      { code: 'StepUpRequired' },
    )
}
