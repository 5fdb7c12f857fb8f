import { defined } from '@posthorn/contracts/defined'
import type { CreateTokenInput } from '@posthorn/client'
import type { OptionValues, RunCommand } from '../../program/command.ts'
import { shownLength } from './find-token.ts'

type TokenRequest = CreateTokenInput['body']

interface TokenOptions {
  scopes?: TokenRequest['scopes']
  account?: string
  description?: string
  actions?: string[]
  groups?: string[]
  addresses?: string[]
  referrers?: string[]
  rateLimit?: { maxRequests: number; timeWindow: number }
  expires?: string
}

/**
 * Command `tokens create`: creates an access token. Standard output has the value of the token
 * only, so that a script can store the value.
 */
export const createToken: RunCommand = async (context, _args, options) => {
  const { posthorn, output, progress, signal } = context
  const client = await posthorn()
  const created = await client.createToken({ body: requestOf(options) }, { signal })
  await output.result(created, created.token)
  progress.note(
    `Token ${created.id.slice(0, shownLength)} was created. Store its value, which is not shown again.`,
  )
}

/** API request for a new access token, from the options of the command. */
export function requestOf(options: OptionValues): TokenRequest {
  const { scopes, account, description, expires, ...rest } = options as TokenOptions
  const { actions, groups, addresses, referrers, rateLimit } = rest
  const permissions = defined({ actions, groups })
  const restrictions = defined({ addresses, referrers, rateLimit })
  return defined({
    scopes,
    account,
    description,
    expires,
    permissions: Object.keys(permissions).length === 0 ? undefined : permissions,
    restrictions: Object.keys(restrictions).length === 0 ? undefined : restrictions,
  }) as TokenRequest
}
