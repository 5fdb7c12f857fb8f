import { randomBytes } from 'node:crypto'
import { defined } from '@posthorn/contracts/defined'
import { fieldError } from '@posthorn/contracts/describe-error'
import { operations } from '@posthorn/contracts/operations'
import { validationError } from '@posthorn/contracts/validate'
import { AppError } from '@posthorn/errors'
import { linkTo } from '@posthorn/links'
import { newAccountId } from '../../accounts/register.ts'
import { handle } from '../../http/handle.ts'
import { findExpectedEmail } from '../../store/accounts/accounts.ts'
import { insertFormLink } from '../../store/accounts/form-links.ts'
import type { OperationDeps } from '../operation-deps.ts'

type AuthenticationFormDeps = Pick<OperationDeps, 'db' | 'settings' | 'links'>

/**
 * Creates a link to the hosted form that registers an account. The URL contains only a nonce; the
 * request is stored under the nonce. The account id is assigned now, so that two uses of the link
 * cannot create two accounts.
 */
export function onCreateAuthenticationForm({ db, settings, links }: AuthenticationFormDeps) {
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
    if (link === undefined) throw new Error('link with a nonce exceeds the maximum length')
    const account = body.account ?? newAccountId()
    const expectedEmail = body.expectedEmail ?? (await findExpectedEmail(db, account))
    const request = { ...body, ...defined({ expectedEmail }) }
    await insertFormLink(db, nonce, { account, request })
    const type = body.type ? `&type=${encodeURIComponent(body.type)}` : ''
    return { url: `${link}${type}` }
  })
}
