import { Type } from 'typebox'
import { defineOperation } from '../define.ts'
import { described, timeoutHeader } from '../schemas/primitives.ts'
import { VerificationResult, VerifiedMailbox, VerifyRequest } from '../schemas/verification.ts'

export const verifyAccount = defineOperation({
  id: 'verifyAccount',
  method: 'post',
  path: '/v1/verifyAccount',
  tag: 'Account',
  summary: 'Test mail servers and credentials',
  description:
    'Tests the connection and the login at an incoming server, an outgoing server, or both. Nothing is stored. A failed test is part of the response, which has status 200.',
  scope: 'api',
  permission: { action: 'read', group: 'admin' },
  headers: Type.Object(timeoutHeader),
  body: VerifyRequest,
  responseDescription: 'Result of the test of each mail server.',
  response: Type.Object({
    imap: Type.Optional(
      described(
        'Result of the test of the incoming server. Absent if the incoming server was not tested.',
        VerificationResult,
      ),
    ),
    smtp: Type.Optional(
      described(
        'Result of the test of the outgoing server. Absent if the outgoing server was not tested.',
        VerificationResult,
      ),
    ),
    mailboxes: Type.Optional(
      Type.Array(VerifiedMailbox, {
        description:
          'Mailboxes of the incoming server. Only with `mailboxes` in the request, and if the login succeeded.',
      }),
    ),
  }),
})
