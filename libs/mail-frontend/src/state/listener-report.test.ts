import { expect, test } from '@jest/globals'
import { listenerReport, type ListenerSources } from './listener-report.ts'

const address = { host: '127.0.0.1', port: 2993, tls: false, proxy: false }
const facts = { names: ['mail.example.com'], expiresAt: new Date('2036-01-01T00:00:00Z') }
const loaded = {
  certificateNames: facts.names,
  certificateExpiresAt: facts.expiresAt,
}
const none = { certificateNames: null, certificateExpiresAt: null }
const closed = { port: null, tls: null, tlsPort: null }
const report = (state: ListenerSources['state'], changes: Partial<ListenerSources> = {}) =>
  listenerReport({ state, tlsPort: undefined, certificate: {}, ...changes })

test('listenerReport: undefined until the settings were read', () => {
  expect(report(undefined)).toBeUndefined()
})

test('listenerReport: off, without a port although there is a TLS port', () => {
  const off = { ...closed, ...none, listener: 'off', error: null }
  expect(report({ name: 'off' }, { tlsPort: 993 })).toEqual(off)
})

test('listenerReport: listening, with its ports and certificate', () => {
  const certificate = { facts }
  expect(report({ name: 'listening', address }, { tlsPort: 993, certificate })).toEqual({
    ...loaded,
    listener: 'listening',
    port: 2993,
    tls: false,
    tlsPort: 993,
    error: null,
  })
})

test('listenerReport: failed, with the beginning of its error', () => {
  const error = new Error(`EADDRINUSE ${'x'.repeat(1_000)}`)
  const failed = report({ name: 'failed', error }, { certificate: { facts } })
  expect(failed).toMatchObject({ ...closed, ...loaded, listener: 'failed' })
  expect(failed?.error).toMatch(/^EADDRINUSE x{489}$/)
})

test('listenerReport: a certificate that cannot be read keeps a closed listener from starting', () => {
  const certificate = { error: new Error('ENOENT') }
  for (const state of [undefined, { name: 'off' as const }])
    expect(report(state, { certificate })).toMatchObject({ listener: 'failed', error: 'ENOENT' })
  expect(
    report({ name: 'listening', address }, { certificate: { ...certificate, facts } }),
  ).toEqual(expect.objectContaining({ ...loaded, listener: 'listening', error: null }))
})
