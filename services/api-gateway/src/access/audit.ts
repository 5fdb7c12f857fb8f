import type { Operation } from '@posthorn/contracts/define'
import type { TokenLog } from '@posthorn/access'
import { AppError } from '@posthorn/errors'
import type { Token } from '../store/tokens.ts'

/** Request with an existing token. */
export interface AuditedRequest {
  operation: Operation
  token: Pick<Token, 'id' | 'account'>
  /** Requested account, if any. */
  account: string | undefined
  address: string
  /** Path as sent, without the query. */
  path: string
}

/** Records the result of a request in the token's log. `denied` is the reason of a rejection. */
export function auditRequest(log: TokenLog, request: AuditedRequest, denied: string | null): void {
  log.record(() => {
    const { operation, token, account, address, path } = request
    const { action, group } = operation.permission
    return {
      token: token.id,
      ip: address,
      method: operation.method.toUpperCase(),
      path: withoutTokens(operation.path, path),
      action,
      group,
      account: account ?? token.account,
      denied,
    }
  })
}

/** Replaces token values in the path, as in requests that read or delete a token. */
function withoutTokens(pattern: string, path: string): string {
  const segments = pattern.split('/')
  return path
    .split('/')
    .map((part, index) => (segments[index] === ':token' ? '{token}' : part))
    .join('/')
}

/**
 * Returns why an error of authorization or of an operation rejected the token; null if the error is
 * unrelated to it.
 */
export function denialOf(error: unknown): string | null {
  if (!(error instanceof AppError)) return null
  const { kind, code, message } = error
  const isTokenError = code === undefined || code === 'MintWidensRestrictions'
  return kind === 'forbidden' && isTokenError ? message : null
}
