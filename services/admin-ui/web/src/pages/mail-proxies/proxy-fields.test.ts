import { expect, test } from '@jest/globals'
import { isOwnersSetting } from '@posthorn/contracts/admin/input-rights'
import {
  effectiveValue,
  mailProxies,
  proxyChanges,
  proxyFields,
  proxyKeys,
  proxyValues,
  removesPassword,
} from './proxy-fields.ts'

const [imap, smtp] = mailProxies as unknown as readonly [
  (typeof mailProxies)[number],
  (typeof mailProxies)[number],
]
const stored = {
  imapProxyServerEnabled: true,
  imapProxyServerPort: 993,
  imapProxyServerHost: null,
  imapProxyServerPassword: true,
}

test('proxyFields: all settings of the mail proxies, which only owners change', () => {
  expect(proxyKeys).toHaveLength(13)
  expect(proxyKeys.filter((key) => !isOwnersSetting(key))).toEqual([])
  expect(proxyFields(imap).map(({ key }) => key)).not.toContain('imapProxyServerAuthEnabled')
})

test('proxyValues: stored values and defaults, without the password', () => {
  expect(proxyValues(imap, stored)).toEqual({
    imapProxyServerEnabled: 'true',
    imapProxyServerHost: '127.0.0.1',
    imapProxyServerPort: '993',
    imapProxyServerTLSEnabled: '',
    imapProxyServerProxy: '',
    imapProxyServerPassword: '',
  })
  expect(proxyValues(smtp, {})['smtpServerAuthEnabled']).toBe('true')
  expect(effectiveValue(stored, 'imapProxyServerHost')).toBe('127.0.0.1')
})

test('proxyChanges: contains only changed settings', () => {
  const values = proxyValues(imap, stored)
  expect(proxyChanges(imap, values, stored)).toEqual({})
  const changed = {
    ...values,
    imapProxyServerEnabled: '',
    imapProxyServerHost: '0.0.0.0',
    imapProxyServerPort: '',
    imapProxyServerPassword: 'new password',
  }
  expect(proxyChanges(imap, changed, stored)).toEqual({
    imapProxyServerEnabled: false,
    imapProxyServerHost: '0.0.0.0',
    imapProxyServerPort: null,
    imapProxyServerPassword: 'new password',
  })
})

test('proxyChanges: removes the password only if the person asks for it', () => {
  const values = { ...proxyValues(imap, stored), [removesPassword]: 'true' }
  expect(proxyChanges(imap, values, stored)).toEqual({ imapProxyServerPassword: null })
  expect(proxyChanges(smtp, { ...proxyValues(smtp, {}), smtpServerAuthEnabled: '' }, {})).toEqual({
    smtpServerAuthEnabled: false,
  })
})
