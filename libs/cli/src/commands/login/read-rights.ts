import { createHash } from 'node:crypto'
import { type Posthorn, PosthornError, type TokenRecord } from '@posthorn/client'
import { CommandError } from '../../exit-codes.ts'
import { isUnknownOperation } from '../../program/describe-error.ts'

/** Rights of an access token, as far as the token may read its own rights. */
export interface TokenRights extends Partial<Pick<TokenRecord, 'scopes' | 'account' | 'expires'>> {
  /** Sentence about commands that the access token does not permit. */
  limit?: string
}

/**
 * Reads the rights of an access token. A token with few permissions may not read its own rights,
 * but the response shows that the token is valid.
 *
 * @throws CommandError if no command can use the token
 */
export async function readRights(
  posthorn: Posthorn,
  token: string,
  signal: AbortSignal,
): Promise<TokenRights> {
  try {
    const record = await findRecord(posthorn, token, signal)
    if (!record) return { limit: 'The server accepts the token, but does not show its details.' }
    const { scopes, account, expires, permissions } = record
    const limit = describeLimit({ scopes, account, isRestricted: permissions !== null })
    return { scopes, account, ...(expires && { expires }), ...(limit && { limit }) }
  } catch (error) {
    if (!(error instanceof PosthornError) || error.status !== 403) throw error
    const { requestedScope, remoteAddress } = error.problem
    if (requestedScope !== undefined)
      throw new CommandError(
        `the token has no scope \`${requestedScope}\`, which the commands need: create another token`,
      )
    if (remoteAddress !== undefined)
      throw new CommandError(`the token must not be used from ${remoteAddress}`)
    return { limit: `The token has limits (${error.message}): some commands will fail.` }
  }
}

/**
 * Record of an access token by the token's id, because URLs with the token itself would be logged.
 * Undefined if the server accepts a token of 64 hex digits, the form of all tokens, but has no
 * record with its ids.
 */
async function findRecord(posthorn: Posthorn, token: string, signal: AbortSignal) {
  const ids = idsOf(token)
  for (const id of ids) {
    try {
      return await posthorn.getToken({ token: id }, { signal })
    } catch (error) {
      const isAbsent = error instanceof PosthornError && error.status === 404
      if (!isAbsent || isUnknownOperation(error) || ids.length === 1) throw error
    }
  }
  return undefined
}

/**
 * Ids that an access token can have: the hash of its text, and the id of a token from EmailEngine.
 */
function idsOf(token: string): string[] {
  const hash = (value: string | Buffer) => createHash('sha256').update(value).digest('hex')
  const isHex = /^[0-9a-f]{64}$/i.test(token)
  return isHex ? [hash(token), hash(Buffer.from(token, 'hex'))] : [hash(token)]
}

/**
 * Sentence about the commands of `posthorn` that an access token does not permit. Undefined for a
 * token without limits.
 */
function describeLimit({
  scopes,
  account,
  isRestricted,
}: {
  scopes: readonly string[]
  account: string | null
  isRestricted: boolean
}): string | undefined {
  if (account !== null) return `The token permits commands for the account ${account} only.`
  if (isRestricted) return 'The token has few permissions: some commands will fail.'
  if (!scopes.includes('*'))
    return 'The token has no scope `*`: commands for operators, such as replays of webhooks, will fail.'
  return undefined
}
