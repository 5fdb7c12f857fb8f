import { expect, test } from '@jest/globals'
import { mergeServers } from './read-registration.ts'

const autoconfig = {
  imap: { host: 'imap.found', port: 143, secure: false, auth: { user: 'anna' } },
  smtp: { host: 'smtp.found', port: 465, secure: true, auth: { user: 'anna' } },
}

test('mergeServers: TLS at the ports for TLS, STARTTLS at others and on request', () => {
  expect(mergeServers({ imapHost: 'a', smtpHost: 'b', smtpPort: 587 })).toEqual({
    imap: { host: 'a', port: 993, secure: true },
    smtp: { host: 'b', port: 587, secure: false },
  })
  expect(mergeServers({ imapHost: 'a', starttls: true })).toEqual({
    imap: { host: 'a', port: 993, secure: false },
  })
})

test('mergeServers: an option takes precedence over a server that was found', () => {
  expect(mergeServers({ imapHost: 'a' }, autoconfig)).toEqual({
    imap: { host: 'a', port: 993, secure: true },
    smtp: { host: 'smtp.found', port: 465, secure: true, user: 'anna' },
  })
})

test('mergeServers: without a server, names the options', () => {
  expect(() => mergeServers({})).toThrow('--imap-host')
  expect(() => mergeServers({ email: 'a@b.example' }, { imap: false, smtp: false })).toThrow(
    'no mail servers found for a@b.example',
  )
})
