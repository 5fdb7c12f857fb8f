import type { Bus } from '@posthorn/bus'
import { allOperations } from '@posthorn/contracts'
import type { Db, SettingsCache } from '@posthorn/db'
import type { Sealer } from '@posthorn/secrets'
import type { TokenCache } from '../access/token-cache.ts'
import type { Afterwards } from '../afterwards.ts'
import { onCreateAccount } from './accounts/create-account.ts'
import { onDeleteAccount } from './accounts/delete-account.ts'
import { onGetAccount } from './accounts/get-account.ts'
import { onListAccounts } from './accounts/list-accounts.ts'
import type { Route } from './handle.ts'
import { onListMailboxes } from './mailboxes/list-mailboxes.ts'
import { onGetMessageSource } from './messages/get-message-source.ts'
import { onGetMessage } from './messages/get-message.ts'
import { onListMessages } from './messages/list-messages.ts'
import { onGetSettings } from './settings/get-settings.ts'
import { onUpdateSettings } from './settings/update-settings.ts'
import { onSubmitMessage } from './submissions/submit-message.ts'
import { onCreateToken } from './tokens/create-token.ts'
import { onDeleteToken } from './tokens/delete-token.ts'

/** What the operations work with. */
export interface Deps {
  db: Db
  outbox: Db
  bus: Bus
  sealer: Sealer
  settings: SettingsCache
  tokens: TokenCache
  afterwards: Afterwards
  timeoutMs: number
}

/** Every operation of the contracts with its handler. */
export function allRoutes(deps: Deps): Route[] {
  const routes = [
    onCreateAccount(deps),
    onDeleteAccount(deps),
    onGetAccount(deps),
    onListAccounts(deps),
    onListMailboxes(deps),
    onGetMessage(deps),
    onGetMessageSource(deps),
    onListMessages(deps),
    onGetSettings(deps),
    onUpdateSettings(deps),
    onSubmitMessage(deps),
    ...onCreateToken(deps),
    ...onDeleteToken(deps),
  ]
  const handled = new Set(routes.map(({ operation }) => operation.id))
  const missing = allOperations.filter(({ id }) => !handled.has(id)).map(({ id }) => id)
  if (missing.length > 0) throw new Error(`nobody handles ${missing.join(', ')}`)
  return routes
}
