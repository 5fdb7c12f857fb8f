import { expect, test } from '@jest/globals'
import { isPermanentFailure, suspends } from './classify-reply.ts'
import type { DeliveryFailure } from './delivery-error.ts'

type Case = [
  verdict: 'permanent' | 'temporary',
  pauses: 'host' | 'account' | undefined,
  failure: Omit<DeliveryFailure, 'message'>,
]

const cases: Case[] = [
  // Replies about the message.
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
  // Replies about the session.
  ['temporary', 'host', { code: 'EPROTOCOL', responseCode: 554, command: 'CONN' }],
  ['temporary', 'host', { code: 'EPROTOCOL', responseCode: 421, command: 'CONN' }],
  ['temporary', 'host', { code: 'ECONNECTION', responseCode: 421, command: 'EHLO' }],
  ['temporary', 'account', { code: 'EAUTH', responseCode: 535, command: 'AUTH PLAIN' }],
  ['temporary', 'account', { code: 'EAUTH', responseCode: 454, command: 'AUTH PLAIN' }],
  ['permanent', 'host', { code: 'ETLS', responseCode: 502, command: 'STARTTLS' }],
  // No reply at all.
  ['temporary', 'host', { code: 'ECONNREFUSED', command: 'CONN' }],
  ['temporary', 'host', { code: 'ENOTFOUND', command: 'CONN' }],
  ['temporary', 'host', { code: 'ETIMEDOUT', command: 'CONN' }],
  ['temporary', 'host', { code: 'ETLS', command: 'CONN' }],
  ['temporary', undefined, { code: 'ETIMEDOUT', command: 'DATA' }],
  ['temporary', undefined, { code: 'ECONNECTION', command: 'DATA' }],
  ['permanent', undefined, { code: 'EENVELOPE', command: 'API' }],
  ['permanent', undefined, { code: 'EMESSAGE', command: 'MAIL FROM' }],
  ['permanent', undefined, { code: 'EEGRESSBLOCKED', command: 'CONN' }],
  ['permanent', undefined, { code: 'SMTPUnavailable' }],
  ['temporary', undefined, { code: 'HTTPRequestError' }],
  ['temporary', undefined, {}],
]

test.each(cases)('%s, pauses %s: %j', (verdict, pauses, failure) => {
  expect(isPermanentFailure({ message: '', ...failure })).toBe(verdict === 'permanent')
  expect(suspends({ message: '', ...failure })).toBe(pauses)
})
