import {
  fieldError,
  validationError,
  operations,
  parseDate,
  type TokenRequest,
} from '@posthorn/contracts'
import type { Db } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { hashToken, newToken } from '@posthorn/secrets'
import { assertNotWider, type Reach } from '../../access/mint.ts'
import type { Caller } from '../../access/token.ts'
import { accountNotFound } from '../../store/accounts.ts'
import { foreignKeyViolation, sqlState } from '../../store/database-errors.ts'
import { insertToken } from '../../store/tokens.ts'
import { handle, type Route } from '../../http/route.ts'

/** Makes a token, under both of its addresses. The value is in this answer and nowhere else. */
export function onCreateToken({ db }: { db: Db }): Route[] {
  const create = (input: { body: TokenRequest; caller: Caller }) => createToken(db, input)
  return [handle(operations.createToken, create), handle(operations.createTokenAlias, create)]
}

async function createToken(db: Db, { body, caller }: { body: TokenRequest; caller: Caller }) {
  // Also where requests need no token: whoever makes one must be known.
  if (!caller.token) throw new AppError('unauthorized', 'Unauthorized')
  const reach = reachOf(body)
  assertNotWider(caller.token, reach)
  assertMetadata(body)
  const token = newToken()
  const id = hashToken(token)
  const { description = null, metadata = null, ip = null } = body
  const { restrictions, permissions } = reach
  try {
    await insertToken(db, {
      id,
      account: reach.account,
      scopes: [...reach.scopes],
      description,
      metadata,
      ip,
      remoteAddress: caller.address,
      restrictions: restrictions && JSON.stringify(restrictions),
      permissions: permissions && JSON.stringify(permissions),
      expiresAt: reach.expiresAt,
    })
  } catch (error) {
    throw sqlState(error) === foreignKeyViolation ? accountNotFound() : error
  }
  return { token, id }
}

function reachOf(body: TokenRequest): Reach {
  const { account = null, scopes = ['api'], restrictions = null, permissions = null } = body
  return { account, scopes, restrictions, permissions, expiresAt: expiryOf(body) }
}

function expiryOf({ expires }: TokenRequest): Date | null {
  const expiry = expires === undefined ? undefined : parseDate(expires)
  if (expiry && expiry.getTime() <= Date.now())
    throw validationError([fieldError('expires', 'must be in the future')])
  return expiry ?? null
}

function assertMetadata({ metadata }: TokenRequest): void {
  if (metadata === undefined) return
  try {
    JSON.parse(metadata)
  } catch {
    throw validationError([fieldError('metadata', 'must be JSON')])
  }
}
