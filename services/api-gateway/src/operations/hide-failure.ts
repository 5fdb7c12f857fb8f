import type { LastError } from '@posthorn/contracts/schemas/account'
import { tenantFailure, tenantLastError } from '@posthorn/contracts/visible-failures'
import type { OutboxError } from '@posthorn/db'
import { isTenant } from '../access/authorize.ts'
import type { Caller } from '../access/authenticate.ts'

type Reader = Pick<Caller, 'token'>

/** Last error of an account, reduced if the caller is a tenant (restricted access token). */
export function visibleLastError(lastError: LastError | null, { token }: Reader): LastError | null {
  return lastError && isTenant(token) ? tenantLastError(lastError) : lastError
}

/**
 * Failure of an attempt to send a message, reduced if the caller is a tenant (restricted access
 * token).
 */
export function visibleFailure(failure: OutboxError | null, { token }: Reader): OutboxError | null {
  return failure && isTenant(token) ? tenantFailure(failure) : failure
}
