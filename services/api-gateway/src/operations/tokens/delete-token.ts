import type { Bus } from '@posthorn/bus'
import { operations } from '@posthorn/contracts'
import type { Db } from '@posthorn/db'
import { hashToken } from '@posthorn/secrets'
import type { TokenCache } from '../../access/token-cache.ts'
import type { Afterwards } from '../../afterwards.ts'
import { deleteTokens } from '../../store/tokens.ts'
import { handle, type Route } from '../handle.ts'

export interface Deps {
  db: Db
  bus: Bus
  tokens: TokenCache
  afterwards: Afterwards
}

/** Deletes a token by its value or its id, under both of its addresses. One that is not there is no error. */
export function onDeleteToken(deps: Deps): Route[] {
  const remove = ({ params }: { params: { token: string } }) => deleteToken(deps, params.token)
  return [handle(operations.deleteToken, remove), handle(operations.deleteTokenAlias, remove)]
}

async function deleteToken({ db, bus, tokens, afterwards }: Deps, valueOrId: string) {
  const deleted = await deleteTokens(db, [valueOrId, hashToken(valueOrId)])
  for (const id of deleted) {
    tokens.invalidate(id)
    afterwards.do(bus.invalidate({ topic: 'tokens', id }))
  }
  return { deleted: deleted.length > 0 }
}
