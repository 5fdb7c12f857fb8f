import { expect, test } from '@jest/globals'
import { type AttemptFailure, classifyReply } from './classify-reply.ts'

type Case = [
  permanence: 'permanent' | 'temporary',
  suspends: 'host' | 'account' | undefined,
  failure: Omit<AttemptFailure, 'message'>,
]

const cases: Case[] = [
  // SMTP replies about the message.
  ['permanent', undefined, { code: 'EENVELOPE', responseCode: 550, command: 'RCPT TO' }],
  ['permanent', undefined, { code: 'EENVELOPE', responseCode: 553, command: 'MAIL FROM' }],
  ['permanent', undefined, { code: 'EENVELOPE', responseCode: 530, command: 'MAIL FROM' }],
  ['permanent', undefined, { code: 'EMESSAGE', responseCode: 552, command: 'DATA' }],
  ['permanent', undefined, { code: 'EMESSAGE', responseCode: 554, command: 'DATA' }],
  ['permanent', undefined, { code: 'EMESSAGE', responseCode: 551, command: 'DATA' }],
  ['temporary', undefined, { code: 'EENVELOPE', responseCode: 450, command: 'RCPT TO' }],
  ['temporary', undefined, { code: 'EENVELOPE', responseCode: 452, command: 'RCPT TO' }],
  ['temporary', 'account', { code: 'EENVELOPE', responseCode: 451, command: 'MAIL FROM' }],
  ['temporary', undefined, { code: 'EMESSAGE', responseCode: 451, command: 'DATA' }],
  ['temporary', 'account', { code: 'EMESSAGE', responseCode: 421, command: 'DATA' }],
  ['temporary', undefined, { code: 'EENVELOPE', responseCode: 503, command: 'RCPT TO' }],
  // SMTP replies about the session.
  ['temporary', 'host', { code: 'EPROTOCOL', responseCode: 554, command: 'CONN' }],
  ['temporary', 'host', { code: 'EPROTOCOL', responseCode: 421, command: 'CONN' }],
  ['temporary', 'host', { code: 'ECONNECTION', responseCode: 421, command: 'EHLO' }],
  ['temporary', 'account', { code: 'EAUTH', responseCode: 535, command: 'AUTH PLAIN' }],
  ['temporary', 'account', { code: 'EAUTH', responseCode: 454, command: 'AUTH PLAIN' }],
  ['temporary', 'host', { code: 'EPROTOCOL', responseCode: 451, command: 'CONN' }],
  ['temporary', 'host', { code: 'EPROTOCOL', responseCode: 550, command: 'HELO' }],
  ['temporary', 'account', { code: 'EAUTH', responseCode: 534, command: 'AUTH XOAUTH2' }],
  ['temporary', 'account', { code: 'EAUTH', responseCode: 421, command: 'AUTH LOGIN' }],
  // Rejected STARTTLS. A permanent rejection concerns the account, because the account decides
  // whether the server must encrypt. A temporary rejection concerns the host.
  ['permanent', 'account', { code: 'ETLS', responseCode: 502, command: 'STARTTLS' }],
  ['temporary', 'host', { code: 'ETLS', responseCode: 454, command: 'STARTTLS' }],
  // Failures without any SMTP reply.
  ['temporary', 'host', { code: 'ECONNREFUSED', command: 'CONN' }],
  ['temporary', 'host', { code: 'ENOTFOUND', command: 'CONN' }],
  ['temporary', 'host', { code: 'ETIMEDOUT', command: 'CONN' }],
  ['permanent', 'account', { code: 'ETLS', command: 'EHLO' }],
  ['temporary', 'account', { code: 'CERT_HAS_EXPIRED', command: 'EHLO' }],
  ['temporary', 'account', { code: 'DEPTH_ZERO_SELF_SIGNED_CERT', command: 'EHLO' }],
  ['temporary', 'account', { code: 'ERR_TLS_CERT_ALTNAME_INVALID', command: 'EHLO' }],
  ['temporary', 'account', { code: 'ERR_SSL_UNSUPPORTED_PROTOCOL', command: 'EHLO' }],
  ['temporary', 'account', { code: 'EPROXY', command: 'CONN' }],
  ['permanent', 'account', { code: 'EAUTH', command: 'AUTH' }],
  ['permanent', undefined, { code: 'ENOAUTH' }],
  ['permanent', undefined, { code: 'EOAUTH2' }],
  ['permanent', 'host', { code: 'EPROTOCOL', command: 'EHLO' }],
  ['temporary', 'account', { code: 'ECREDENTIALS', command: 'AUTH' }],
  ['temporary', undefined, { code: 'ETIMEDOUT', command: 'DATA' }],
  ['temporary', undefined, { code: 'ECONNECTION', command: 'DATA' }],
  ['permanent', undefined, { code: 'EENVELOPE', command: 'API' }],
  ['permanent', undefined, { code: 'EMESSAGE', command: 'MAIL FROM' }],
  ['permanent', undefined, { code: 'EEGRESSBLOCKED', command: 'CONN' }],
  ['permanent', undefined, { code: 'ESMTPUTF8' }],
  ['permanent', undefined, { code: 'SMTPUnavailable' }],
  ['permanent', undefined, { code: 'GatewayNotFound' }],
  ['temporary', undefined, { code: 'EINTERNAL' }],
  ['temporary', 'host', { code: 'ECONNECTION', command: 'EHLO' }],
  // Failures with unexpected reply codes or error codes, or without a code.
  ['temporary', undefined, { code: 'EPROTOCOL', responseCode: 250, command: 'DATA' }],
  ['temporary', undefined, { code: 'EMESSAGE', responseCode: 600, command: 'DATA' }],
  ['permanent', undefined, { code: 'EMESSAGE', responseCode: 599, command: 'DATA' }],
  ['temporary', undefined, { code: 'HTTPRequestError' }],
  ['temporary', undefined, {}],
]

test.each(cases)('classifyReply: %s, suspends %s for %j', (permanence, suspends, failure) => {
  expect(classifyReply({ message: '', ...failure })).toEqual({
    permanent: permanence === 'permanent',
    ...(suspends ? { suspends } : {}),
  })
})
