import { expect, test } from '@jest/globals'
import { readHttpServerConfig } from './http-server-config.ts'

test('readHttpServerConfig: defaults, no trusted proxies, no origins, metrics for own networks', () => {
  expect(readHttpServerConfig({})).toMatchObject({
    trustedProxies: [],
    corsOrigins: [],
    corsMaxAgeSeconds: 60,
    tlsCert: undefined,
    maxConnections: 10_000,
    maxConnectionsPerAddress: 1_000,
    maxRequestsPerAddress: 60_000,
    allowedHosts: [],
  })
  expect(readHttpServerConfig({}).metricsAddresses).toContain('10.0.0.0/8')
})

test('readHttpServerConfig: reads all variables', () => {
  const config = readHttpServerConfig({
    SVC_TRUSTED_PROXIES: '10.0.0.0/8, ::1',
    SVC_METRICS_ADDRESSES: '',
    SVC_CORS_ORIGIN: 'https://a.example, http://localhost:8080',
    SVC_CORS_MAX_AGE: '10m',
    SVC_TLS_CERT: '/run/tls/cert.pem',
    SVC_TLS_KEY: '/run/tls/key.pem',
    SVC_MAX_CONNECTIONS: '500',
    SVC_MAX_CONNECTIONS_PER_ADDRESS: '20',
    SVC_RATE_LIMIT_PER_ADDRESS: '0',
    SVC_PUBLIC_RATE_LIMIT_PER_ADDRESS: '7',
    SVC_UNVERIFIED_NOTIFICATIONS_PER_ADDRESS: '8',
    SVC_ALLOWED_HOSTS: 'api-gateway, Mail.example',
  })
  expect(config).toMatchObject({
    trustedProxies: ['10.0.0.0/8', '::1'],
    metricsAddresses: [],
    corsOrigins: ['https://a.example', 'http://localhost:8080'],
    corsMaxAgeSeconds: 600,
    tlsCert: '/run/tls/cert.pem',
    maxConnections: 500,
    maxConnectionsPerAddress: 20,
    maxRequestsPerAddress: 0,
    maxPublicRequestsPerAddress: 7,
    maxUnverifiedPerAddress: 8,
    allowedHosts: ['api-gateway', 'mail.example'],
  })
  expect(config.tlsKey?.reveal()).toBe('/run/tls/key.pem')
  expect(readHttpServerConfig({ SVC_CORS_ORIGIN: '*' }).corsOrigins).toEqual(['*'])
})

test.each([
  ['SVC_TRUSTED_PROXIES', '10.0.0.0/99', /^SVC_TRUSTED_PROXIES: must be IP addresses/],
  ['SVC_METRICS_ADDRESSES', 'here', /^SVC_METRICS_ADDRESSES: must be IP addresses/],
  ['SVC_CORS_ORIGIN', 'https://a.example/', /^SVC_CORS_ORIGIN: must be \* or origins/],
  ['SVC_CORS_ORIGIN', 'a.example', /^SVC_CORS_ORIGIN: must be \* or origins/],
  ['SVC_CORS_ORIGIN', 'null', /^SVC_CORS_ORIGIN: must be \* or origins/],
  ['SVC_CORS_ORIGIN', '*,https://a.example', /^SVC_CORS_ORIGIN: must be \* or origins, not both/],
  ['SVC_CORS_MAX_AGE', '2d', /^SVC_CORS_MAX_AGE: must be between/],
  ['SVC_TLS_CERT', '/cert.pem', /^SVC_TLS_KEY: must be set as well/],
  ['SVC_TLS_KEY', '/key.pem', /^SVC_TLS_CERT: must be set as well/],
  ['SVC_MAX_CONNECTIONS_PER_ADDRESS', '0', /^SVC_MAX_CONNECTIONS_PER_ADDRESS: must be between/],
  ['SVC_RATE_LIMIT_PER_ADDRESS', '-1', /^SVC_RATE_LIMIT_PER_ADDRESS: must be between/],
  ['SVC_PUBLIC_RATE_LIMIT_PER_ADDRESS', 'x', /^SVC_PUBLIC_RATE_LIMIT_PER_ADDRESS: must be/],
  ['SVC_ALLOWED_HOSTS', 'api:3000', /^SVC_ALLOWED_HOSTS: must be host names without ports/],
  ['SVC_ALLOWED_HOSTS', 'http://api', /^SVC_ALLOWED_HOSTS: must be host names without ports/],
  ['SVC_MAX_CONNECTIONS', '1', /^SVC_MAX_CONNECTIONS: must be between/],
])('readHttpServerConfig: %s=%s, throws with the name', (name, value, reason) => {
  expect(() => readHttpServerConfig({ [name]: value })).toThrow(reason)
})
