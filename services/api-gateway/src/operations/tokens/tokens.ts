import { fieldError } from '@posthorn/contracts/describe-error'
import { parseDate } from '@posthorn/contracts/formats'
import { operations } from '@posthorn/contracts/operations'
import type {
  OperatorTokenRequest,
  TokenLogEntry,
  TokenRecord,
  TokenRequest,
} from '@posthorn/contracts/schemas/token'
import { validationError } from '@posthorn/contracts/validate'
import type { Db } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { hashToken, newToken } from '@posthorn/secrets'
import { type Caller, noToken } from '../../access/authenticate.ts'
import { assertNotWider, type TokenReach } from '../../access/mint.ts'
import { handle, type OperationHandler } from '../../http/handle.ts'
import { listTokenLog, type TokenLogRow } from '../../store/access/token-log.ts'
import {
  deleteTokens,
  findTokenRecord,
  insertToken,
  listTokenRecords,
  tokenNotFound,
  type TokenRecordRow,
} from '../../store/access/tokens.ts'
import type { OperationDeps } from '../operation-deps.ts'
import { present } from '../present.ts'

type TokenDeps = Pick<OperationDeps, 'db' | 'bus' | 'tokens' | 'tasks' | 'tokenLogEntries'>

/** Maximum access tokens in a response of the older path for listing tokens, which has no pages. */
const maxAliasTokens = 1_000

/**
 * Operations on access tokens. The paths name a token by its value or id. Each older path is an
 * alias of a newer path.
 */
export function tokenHandlers(deps: TokenDeps): OperationHandler[] {
  const { db } = deps
  const create = (input: { body: TokenRequest; caller: Caller }) => createToken(db, input)
  const remove = ({ params }: { params: { token: string } }) => deleteToken(deps, params.token)
  return [
    handle(operations.createToken, create),
    handle(operations.createTokenAlias, create),
    handle(operations.createOperatorToken, (input) => createOperatorToken(db, input)),
    handle(operations.deleteToken, remove),
    handle(operations.deleteTokenAlias, remove),
    // Paths that list access tokens precede paths that name a token, because an account may have
    // the id `log`.
    handle(operations.listTokens, async ({ query: { account, query, ...page } }) => {
      const { rows, ...counts } = await listTokenRecords(db, { account, query, ...page })
      return { account: account ?? null, ...counts, tokens: rows.map(describeToken) }
    }),
    handle(operations.listTokensAlias, async ({ params: { account } }) => {
      const { rows } = await listTokenRecords(db, { account, page: 0, pageSize: maxAliasTokens })
      return { tokens: rows.map(describeToken) }
    }),
    handle(operations.getToken, async ({ params: { token } }) => {
      const row = await findTokenRecord(db, token)
      if (!row) throw tokenNotFound()
      return describeToken(row)
    }),
    onGetTokenLog(deps),
  ]
}

/** Creates an access token. The response is the only place that contains the value of the token. */
async function createToken(db: Db, { body, caller }: { body: TokenRequest; caller: Caller }) {
  // Requires an access token even without SVC_REQUIRE_API_AUTH, because a new token needs a known
  // creator.
  if (!caller.token) throw noToken('no token')
  const reach = reachOf(body)
  assertNotWider(caller.token, reach)
  assertMetadata(body)
  const token = newToken()
  const id = hashToken(token)
  const { description = null, metadata = null, ip = null } = body
  const { restrictions, permissions } = reach
  const details = { id, description, metadata, ip, remoteAddress: caller.address }
  await insertToken(db, {
    ...reach,
    ...details,
    scopes: [...reach.scopes],
    restrictions: restrictions && JSON.stringify(restrictions),
    permissions: permissions && JSON.stringify(permissions),
  })
  return { token, id }
}

/**
 * Creates an access token with the scope `*`. Only people may create such a token, whose role and
 * factor were checked: a leaked token must not create further tokens of this scope.
 */
async function createOperatorToken(
  db: Db,
  { body, caller }: { body: OperatorTokenRequest; caller: Caller },
) {
  if (!caller.person)
    throw new AppError(
      'forbidden',
      'Tokens with the scope * are created by an owner at the administration pages',
      { extras: { requiredRole: 'owner' } },
    )
  const { description, restrictions = null } = body
  const expiresAt = expiryOf(body)
  const token = newToken()
  const id = hashToken(token)
  await insertToken(db, {
    id,
    scopes: ['*'],
    description,
    remoteAddress: caller.address,
    restrictions: restrictions && JSON.stringify(restrictions),
    expiresAt,
  })
  return { token, id }
}

function reachOf(body: TokenRequest): TokenReach {
  const { account = null, scopes = ['api'], restrictions = null, permissions = null } = body
  return { account, scopes, restrictions, permissions, expiresAt: expiryOf(body) }
}

function expiryOf({ expires }: Pick<TokenRequest, 'expires'>): Date | null {
  const expiry = expires === undefined ? undefined : parseDate(expires)
  if (expiry && expiry.getTime() <= Date.now())
    throw validationError([fieldError('expires', 'must be in the future')])
  return expiry ?? null
}

function assertMetadata({ metadata }: TokenRequest): void {
  if (metadata !== undefined && !isJson(metadata))
    throw validationError([fieldError('metadata', 'must be JSON')])
}

export function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Deletes an access token. Deleting a missing token is not an error. */
async function deleteToken({ db, bus, tokens, tasks }: TokenDeps, valueOrId: string) {
  const deleted = await deleteTokens(db, valueOrId)
  for (const id of deleted) {
    tokens.invalidate(id)
    tasks.run(bus.invalidate({ topic: 'tokens', id }))
  }
  return { deleted: deleted.length > 0 }
}

/**
 * Returns the log of an access token. The log of a deleted token can be read by its id as long as
 * the log has entries.
 */
function onGetTokenLog({ db, tokenLogEntries: keep }: TokenDeps) {
  return handle(operations.getTokenLog, async ({ params, query }) => {
    const stored = await findTokenRecord(db, params.token)
    const token = stored?.id ?? params.token
    const { rows, ...counts } = await listTokenLog(db, token, { ...query, keep })
    if (!stored && counts.total === 0) throw tokenNotFound()
    return { token, ...counts, entries: rows.map(describeLogEntry) }
  })
}

/** Record of an access token as the API represents it. Unset texts are absent. */
function describeToken(row: TokenRecordRow): TokenRecord {
  const { description, metadata, ip, remoteAddress, ...rest } = row
  const { createdAt, expiresAt, lastUsedAt, lastUsedIp, imported, ...record } = rest
  const expires = expiresAt?.toISOString()
  return {
    ...present({ description, metadata, ip, remoteAddress, expires }),
    ...record,
    ...(imported && { imported }),
    created: createdAt.toISOString(),
    access: { time: lastUsedAt?.toISOString() ?? null, ip: lastUsedIp },
  }
}

function describeLogEntry({ at, actionGroup, denied, ...row }: TokenLogRow): TokenLogEntry {
  return {
    time: at.toISOString(),
    ...row,
    group: actionGroup,
    status: denied === null ? 'allowed' : 'denied',
    reason: denied,
  }
}
