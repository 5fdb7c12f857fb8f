import { on } from '@posthorn/bus'
import { getOAuth2Token } from '@posthorn/contracts'
import { AppError } from '@posthorn/errors'
import type { AccessTokens, TokenDeps } from './access-tokens.ts'
import { openApplication } from './application.ts'
import { whoseGrant } from './whose-grant.ts'

/** Answers with an access token of an account, for whoever may have it whole. */
export function onGetOAuth2Token(deps: TokenDeps & { tokens: AccessTokens }) {
  return on(getOAuth2Token, async ({ account }) => {
    const use = await whoseGrant(deps.db, account, 'imap')
    if (!use || use.useAuthServer)
      throw new AppError('invalid', 'No OAuth2 tokens are kept for this account', {
        code: 'UnsupportedOperation',
      })
    const token = await deps.tokens.get(use)
    const { id, provider } = await openApplication(deps, use.app)
    return { ...token, user: use.user, provider, app: id }
  })
}
