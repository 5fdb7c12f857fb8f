import { type FieldError, fieldError } from '@posthorn/contracts/describe-error'
import { operations } from '@posthorn/contracts/operations'
import type { VerifyRequest } from '@posthorn/contracts/schemas/verification'
import { validationError } from '@posthorn/contracts/validate'
import { hasFullRights } from '../../access/authorize.ts'
import { secretErrors } from '../../accounts/login-secret.ts'
import { probeServers, probeWithoutDetails } from '../../accounts/probe-servers.ts'
import { requestTimeout } from '../../http/call-worker.ts'
import { handle } from '../../http/handle.ts'
import type { OperationDeps } from '../operation-deps.ts'

/** Tests the mail server logins of a request. Stores nothing. */
export function onVerifyAccount(deps: Pick<OperationDeps, 'bus' | 'timeoutMs' | 'unusableMs'>) {
  const { bus, unusableMs } = deps
  return handle(operations.verifyAccount, async ({ body, headers, signal, caller }) => {
    assertVerifiable(body)
    const options = { bus, timeoutMs: requestTimeout(deps, headers), signal }
    return hasFullRights(caller.token)
      ? probeServers(options, body)
      : probeWithoutDetails({ ...options, unusableMs }, body)
  })
}

/**
 * Checks the mail server settings of a login test. Rejects `useAuthServer`, because the
 * authentication server needs a registered account, which a login test does not have.
 */
function assertVerifiable({ imap, smtp }: VerifyRequest): void {
  const errors: FieldError[] = []
  for (const [kind, server] of Object.entries({ imap, smtp })) {
    if (!server || ('disabled' in server && server.disabled)) continue
    if (server.useAuthServer)
      errors.push(fieldError(`${kind}.useAuthServer`, 'is not possible here'))
    else if (!server.auth && kind === 'imap') errors.push(fieldError('imap.auth', 'is required'))
    else if (server.auth) errors.push(...secretErrors(`${kind}.auth`, server.auth))
  }
  if (errors.length > 0) throw validationError(errors)
}
