import { Type } from 'typebox'
import { defineOperation } from '../define.ts'
import { AuthenticationForm } from '../schemas/authentication-form.ts'

/** Makes a link to pages on which the owner of a mailbox connects it. It works for a day, and once. */
export const createAuthenticationForm = defineOperation({
  id: 'createAuthenticationForm',
  method: 'post',
  path: '/v1/authentication/form',
  tag: 'Account',
  summary: 'Make a link to the hosted form that connects a mailbox',
  scope: 'api',
  permission: { action: 'write', group: 'admin' },
  body: AuthenticationForm,
  response: Type.Object({
    url: Type.String({ description: 'For the owner of the mailbox; whoever has it may use it' }),
  }),
  errors: ['MissingServiceURLSetup', 'WorkerNotAvailable', 'Timeout'],
})
