import { Type } from 'typebox'
import { defineCommand } from '../define.ts'
import { ImapConfig } from '../schemas/mail-server.ts'
import { Strict } from '../schemas/primitives.ts'
import { VerificationResult, VerifiedMailbox } from '../schemas/verification.ts'
import { WebhookTargetTestResult } from '../schemas/webhook-target-test.ts'
import { Credentials } from './credentials.ts'

// Commands that test mail servers and webhook targets, served by any replica of sync-worker, sender
// or webhook-dispatcher. The exchange, the routing key and the shared queue have the same name:
// `verify.imap`, `verify.smtp` or `verify.webhook`. The requests contain credentials, so they are
// neither logged nor written to disk.

const { host, port, secure, tls, disableIMAP4rev2 } = ImapConfig.properties

/**
 * Logs in at an incoming mail server and logs out. With `mailboxes`, also lists the mailboxes of
 * the user.
 */
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

/** Tests the connection to an outgoing mail server. Logs in if the request contains credentials. */
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

/**
 * Sends a test event to a webhook target: `url`, the target of `account`, or the default target.
 * The login of `url` is sealed (encrypted). `result` is absent if no such target is configured.
 */
export const verifyWebhook = defineCommand({
  name: 'verifyWebhook',
  request: Strict({
    url: Type.Optional(Type.String()),
    account: Type.Optional(Type.String()),
  }),
  response: Type.Object({ result: Type.Optional(WebhookTargetTestResult) }),
})
