import type { Operation } from '@posthorn/contracts'
import type { TokenLog } from '@posthorn/access'
import { AppError } from '@posthorn/errors'
import type { Token } from '../store/tokens.ts'

/** A request with a token that is known. */
export interface AuditedRequest {
  operation: Operation
  token: Pick<Token, 'id' | 'account'>
  /** The account it asks for, where the request says so. */
  account: string | undefined
  address: string
  /** As sent, without the query. */
  path: string
}

/** Notes what became of a request; `denied` is the reason where it was refused. Returns at once. */
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

/** A path may hold the value of a token: that of the one that is to be read or deleted. */
function withoutTokens(pattern: string, path: string): string {
  const named = pattern.split('/')
  return path
    .split('/')
    .map((part, index) => (named[index] === ':token' ? '{token}' : part))
    .join('/')
}

/** Why a token was refused by what was thrown; null where the failure is not the token's. */
export function denialOf(error: unknown): string | null {
  if (!(error instanceof AppError)) return null
  const { kind, code, message } = error
  if (kind === 'rate-limited' && code === undefined) return message
  const isOurs = code === undefined || code === 'MintWidensRestrictions'
  return kind === 'forbidden' && isOurs ? message : null
}
