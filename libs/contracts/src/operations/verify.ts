import { Type } from 'typebox'
import { defineOperation } from '../define.ts'
import { timeoutHeader } from '../schemas/primitives.ts'
import { VerificationResult, VerifiedMailbox, VerifyRequest } from '../schemas/verification.ts'

/** Tries credentials without storing anything. What a server says is part of the answer, which is a 200 whatever it says. */
export const verifyAccount = defineOperation({
  id: 'verifyAccount',
  method: 'post',
  path: '/v1/verifyAccount',
  tag: 'Account',
  summary: 'Try mail servers and credentials',
  scope: 'api',
  permission: { action: 'read', group: 'admin' },
  headers: Type.Object(timeoutHeader),
  body: VerifyRequest,
  response: Type.Object({
    imap: Type.Optional(VerificationResult),
    smtp: Type.Optional(VerificationResult),
    mailboxes: Type.Optional(Type.Array(VerifiedMailbox)),
  }),
})
