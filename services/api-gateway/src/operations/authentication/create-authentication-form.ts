import { randomBytes } from 'node:crypto'
import { fieldError, validationError, operations } from '@posthorn/contracts'
import type { Db, SettingsCache } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { type LinkKeys, linkTo } from '@posthorn/links'
import { findExpectedEmail } from '../../store/account-pins.ts'
import { insertFormLink } from '../../store/form-links.ts'
import { newAccountId } from '../../accounts/register.ts'
import { handle } from '../../http/route.ts'

export interface Deps {
  db: Db
  settings: SettingsCache
  links: LinkKeys
}

/**
 * Makes a link to the hosted form. The address says nothing of what it is about: that is stored, under the nonce. An account without
 * an id gets one now, lest two tries with the link make two accounts.
 */
export function onCreateAuthenticationForm({ db, settings, links }: Deps) {
  return handle(operations.createAuthenticationForm, async ({ body }) => {
    const { serviceUrl } = await settings.get()
    if (serviceUrl === undefined)
      throw new AppError('internal', 'The setting serviceUrl is not set', {
        code: 'MissingServiceURLSetup',
      })
    if (body.delegated && body.email === undefined)
      throw validationError([fieldError('email', 'is required with delegated')])
    const nonce = randomBytes(16).toString('base64url')
    const link = linkTo(serviceUrl, await links.current(), { act: 'form', n: nonce })
    if (link === undefined) throw new Error('a link of a nonce is never too long')
    const account = body.account ?? newAccountId()
    const expectedEmail = body.expectedEmail ?? (await findExpectedEmail(db, account))
    const pin = expectedEmail === undefined ? {} : { expectedEmail }
    await insertFormLink(db, nonce, { account, request: { ...body, ...pin } })
    const type = body.type ? `&type=${encodeURIComponent(body.type)}` : ''
    return { url: `${link}${type}` }
  })
}
