import { Type } from 'typebox'
import { defineCommand } from '../define.ts'
import { ImapConfig } from '../schemas/account.ts'
import { Strict } from '../schemas/primitives.ts'
import { VerificationResult, VerifiedMailbox } from '../schemas/verification.ts'
import { Credentials } from './credentials.ts'

// Asked of any replica of a service: exchange `commands`, key and shared queue `verify.imap` or `verify.smtp`. Credentials are in them:
// such a question is never logged, and not written to disk.

const { host, port, secure, tls, disableIMAP4rev2 } = ImapConfig.properties

/** Logs in at an incoming server and out again; with `mailboxes` lists what is there. */
export const verifyImap = defineCommand({
  name: 'verifyImap',
  request: Strict({
    server: Strict({ host, port, secure, tls, disableIMAP4rev2 }),
    credentials: Credentials,
    proxy: Type.Optional(Type.String()),
    mailboxes: Type.Boolean(),
  }),
  response: Type.Object({
    verdict: VerificationResult,
    mailboxes: Type.Optional(Type.Array(VerifiedMailbox)),
  }),
})

/** Logs in at an outgoing server, where there are credentials, and out again. */
export const verifySmtp = defineCommand({
  name: 'verifySmtp',
  request: Strict({
    server: Strict({ host, port, secure, tls }),
    credentials: Type.Optional(Credentials),
    ehloName: Type.Optional(Type.String()),
    proxy: Type.Optional(Type.String()),
  }),
  response: Type.Object({ verdict: VerificationResult }),
})
