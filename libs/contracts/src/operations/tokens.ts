import { Type } from 'typebox'
import { defineOperation } from '../define.ts'
import { Strict } from '../schemas/primitives.ts'
import { TokenRequest } from '../schemas/token.ts'

const created = Type.Object({ token: Type.String(), id: Type.String() })
const write = { action: 'write', group: 'admin' } as const
const destroy = { action: 'destructive', group: 'admin' } as const

/** The value is shown once; only its SHA-256 is kept. Restrictions cannot be wider than the calling token's. */
export const createToken = defineOperation({
  id: 'createToken',
  method: 'post',
  path: '/v1/tokens',
  tag: 'Token',
  summary: 'Create an access token',
  scope: 'api',
  permission: write,
  body: TokenRequest,
  response: created,
  errors: ['MintWidensRestrictions'],
})

/** The older address of createToken. */
export const createTokenAlias = defineOperation({
  ...createToken,
  id: 'createTokenAlias',
  path: '/v1/token',
  hidden: true,
})

export const deleteToken = defineOperation({
  id: 'deleteToken',
  method: 'delete',
  path: '/v1/tokens/:token',
  tag: 'Token',
  summary: 'Delete an access token, by value or by id',
  scope: 'api',
  permission: destroy,
  params: Strict({ token: Type.String({ minLength: 1, maxLength: 256 }) }),
  response: Type.Object({ deleted: Type.Boolean() }),
})

/** The older address of deleteToken. */
export const deleteTokenAlias = defineOperation({
  ...deleteToken,
  id: 'deleteTokenAlias',
  path: '/v1/token/:token',
  hidden: true,
})
