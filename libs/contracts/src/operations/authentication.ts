import { Type } from 'typebox'
import { defineOperation } from '../define.ts'
import { AuthenticationForm } from '../schemas/authentication-form.ts'
import { Text } from '../schemas/primitives.ts'

export const createAuthenticationForm = defineOperation({
  id: 'createAuthenticationForm',
  method: 'post',
  path: '/v1/authentication/form',
  tag: 'Account',
  summary: 'Create a link to the hosted form for connecting a mailbox',
  description:
    'Creates a link to a page on which the owner of a mailbox connects the mailbox: by sign-in at a mail provider, or with a password. The link is valid for 24 hours and for one registration. The setting `serviceUrl` must be set. The pages are in the language of the setting `locale`, else in that of the browser. The query parameter `locale`, appended to the URL, selects another language: `en`, `de`, `fr`, `es`, `nl`, `pl`, `et`, `ja` or `pt`.',
  scope: 'api',
  permission: { action: 'write', group: 'admin' },
  body: AuthenticationForm,
  responseDescription: 'URL of the hosted form.',
  response: Type.Object({
    url: Text(
      'URL of the hosted form, valid for 24 hours. Send the URL to the owner of the mailbox only: anyone who has the URL can use the form.',
    ),
  }),
  errors: ['MissingServiceURLSetup', 'WorkerNotAvailable', 'Timeout'],
})
