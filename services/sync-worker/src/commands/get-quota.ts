import { type CommandHandler, on } from '@posthorn/bus'
import { getQuota } from '@posthorn/contracts'
import { type CommandDeps, sessionOf, withMailServer } from './account.ts'

export function onGetQuota(deps: CommandDeps): CommandHandler {
  return on(getQuota, async ({ account }, context) => {
    const session = sessionOf(deps, account)
    return withMailServer(session, context, async (mail) => ({
      quota: (await mail.quota()) ?? false,
    }))
  })
}
