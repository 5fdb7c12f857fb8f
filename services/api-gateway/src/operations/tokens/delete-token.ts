import type { Bus } from '@posthorn/bus'
import { operations } from '@posthorn/contracts'
import type { Db } from '@posthorn/db'
import { hashToken } from '@posthorn/secrets'
import type { TokenCache } from '../../access/token-cache.ts'
import type { BackgroundTasks } from '../../background-tasks.ts'
import { deleteTokens } from '../../store/tokens.ts'
import { handle, type Route } from '../../http/route.ts'

export interface Deps {
  db: Db
  bus: Bus
  tokens: TokenCache
  tasks: BackgroundTasks
}

/** Deletes a token by its value or its id, under both of its addresses. One that is not there is no error. */
export function onDeleteToken(deps: Deps): Route[] {
  const remove = ({ params }: { params: { token: string } }) => deleteToken(deps, params.token)
  return [handle(operations.deleteToken, remove), handle(operations.deleteTokenAlias, remove)]
}

async function deleteToken({ db, bus, tokens, tasks }: Deps, valueOrId: string) {
  const deleted = await deleteTokens(db, [valueOrId, hashToken(valueOrId)])
  for (const id of deleted) {
    tokens.invalidate(id)
    tasks.run(bus.invalidate({ topic: 'tokens', id }))
  }
  return { deleted: deleted.length > 0 }
}
