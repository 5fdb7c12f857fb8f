import { type CommandHandler, on } from '@posthorn/bus'
import { getQuota } from '@posthorn/contracts'
import { type CommandDeps, getSession, withMailSession } from './account.ts'

export function onGetQuota(deps: CommandDeps): CommandHandler {
  return on(getQuota, async ({ account }, context) => {
    const session = getSession(deps, account)
    return withMailSession(session, context, async (mail) => ({
      quota: (await mail.quota()) ?? false,
    }))
  })
}
