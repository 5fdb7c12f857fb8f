import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Operation } from '@posthorn/contracts'
import type { Db } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { admit } from './admit.ts'
import { clientAddress } from './client-address.ts'
import { readCredential } from './credential.ts'
import type { LastUse } from './last-use.ts'
import { limitRate } from './rate-limit.ts'
import type { TokenCache } from './token-cache.ts'
import type { Caller, Token } from './token.ts'

export interface GateOptions {
  db: Db
  tokens: TokenCache
  lastUse: LastUse
  /** False: requests without a token are taken. */
  requireToken: boolean
  trustedProxies: readonly string[]
}

/** What a request tells of whoever sends it. */
export interface Visitor extends Pick<IncomingMessage, 'headers' | 'socket'> {
  params: Record<string, unknown>
  query: Record<string, unknown>
}

/** Finds out who asks, and whether they may. */
export type Gate = (
  operation: Operation,
  visitor: Visitor,
  response: ServerResponse,
) => Promise<Caller>

export function createGate(options: GateOptions): Gate {
  const { db, tokens, lastUse, requireToken, trustedProxies } = options
  return async (operation, visitor, response) => {
    const { headers, socket } = visitor
    const address = clientAddress(
      socket.remoteAddress ?? '',
      [headers['x-forwarded-for']].flat().join(','),
      trustedProxies,
    )
    const credential = readCredential(headers, visitor.query['access_token'])
    if (credential === undefined) {
      // Where no token is needed, that is so for the API: what operators do is never open to all.
      if (requireToken || operation.scope === '*')
        throw new AppError('unauthorized', 'Unauthorized')
      return { token: null, address }
    }
    const token = usable(await tokens.find(credential))
    const { account } = operation.boundBy === 'query' ? visitor.query : visitor.params
    admit(operation, token, {
      account: typeof account === 'string' ? account : undefined,
      address,
      referrer: headers.referer,
    })
    await limitRate(db, token, response)
    lastUse.note(token.id, address)
    return { token, address }
  }
}

/** Unknown and expired are one answer. */
function usable(token: Token | undefined): Token {
  if (token && (token.expiresAt === null || token.expiresAt.getTime() > Date.now())) return token
  throw badToken()
}

export function badToken(): AppError {
  return new AppError('unauthorized', 'Bad token', {
    extras: { attributes: { error: 'Bad token' } },
  })
}
