import { expect, test } from '@jest/globals'
import { findBlocklist, classify, parseRetryAfter } from './classify.ts'

test.each([
  ['550 5.1.1 <a@b.example>: Recipient address rejected: User unknown', '5.1.1', 'user_unknown'],
  ['550 No such user here', undefined, 'user_unknown'],
  ['Host or domain name not found. Name service error', '5.4.4', 'invalid_address'],
  ['550 5.2.1 The email account that you tried to reach is disabled', '5.2.1', 'mailbox_disabled'],
  ['552 5.2.2 The email account is over quota', '5.2.2', 'mailbox_full'],
  ['450 4.2.0 Greylisted, see example.org', '4.2.0', 'greylisting'],
  ['421 4.7.0 Too many messages from your IP, slow down', '4.7.0', 'rate_limited'],
  ['Connection timed out', '4.4.1', 'server_error'],
  [
    '554 5.7.1 Service unavailable; Client host [192.0.2.1] blocked using zen.spamhaus.org',
    '5.7.1',
    'ip_blacklisted',
  ],
  ['550 messages from your country are not accepted', undefined, 'geo_blocked'],
  ['554 5.7.1 URL in the body is listed: multi.surbl.org', '5.7.1', 'domain_blacklisted'],
  [
    '550 5.7.26 Unauthenticated email from b.example is not accepted due to its DMARC policy',
    '5.7.26',
    'auth_failure',
  ],
  ['554 5.7.1 <a@b.example>: Relay access denied', '5.7.1', 'relay_denied'],
  ['554 5.7.1 Message was classified as spam', '5.7.1', 'spam_blocked'],
  ['550 rejected by local policy', undefined, 'policy_blocked'],
  ['554 Message contains a virus: Eicar', undefined, 'virus_detected'],
  ['', '5.1.1', 'user_unknown'],
  ['', '4.2.2', 'mailbox_full'],
  ['', undefined, 'unknown'],
])('classify: %s (%s), returns %s', (message, status, category) => {
  expect(classify(message, status)).toBe(category)
})

test('findBlocklist: returns a blocklist only for block categories', () => {
  expect(findBlocklist('blocked by dbl.spamhaus.org', 'domain_blacklisted')).toEqual({
    name: 'Spamhaus DBL',
    type: 'domain',
  })
  expect(findBlocklist('no such user; spamhaus is fine', 'user_unknown')).toBeUndefined()
})

test.each([
  ['please try again in 5 minutes', 300],
  ['retry after 120 seconds', 120],
  ['come again after 400 days', 604_800],
  ['see RFC 5321', undefined],
])('parseRetryAfter: %s, returns %s seconds', (message, seconds) => {
  expect(parseRetryAfter(message)).toBe(seconds)
})
