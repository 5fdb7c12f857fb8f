import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { readProxyConfig } from './proxy-config.ts'
import { imapProxy, smtpProxy } from './proxy-kinds.ts'

const services = { DATABASE_URL: 'postgres://x', AMQP_URL: 'amqp://x' }
const root = join(import.meta.dirname, '../../..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')

test.each([
  [imapProxy, 'SVC_IMAP_PROXY_DRAIN', 'services/imap-proxy/README.md'],
  [smtpProxy, 'SVC_SMTP_PROXY_DRAIN', 'services/smtp-proxy/README.md'],
])(
  'readProxyConfig: %o, the default of %s is that of the reference, to which the README refers',
  (kind, name, readme) => {
    const { drainMs, shutdownTimeoutMs } = readProxyConfig(services, kind, 1)
    expect(shutdownTimeoutMs).toBe(drainMs + 10_000)
    expect(read('deploy/configuration.md')).toContain(`\`${name}\` | ${drainMs / 1_000} s |`)
    const text = read(readme).replaceAll('\n', ' ')
    const sentences = text.split(/(?<=\.) /).filter((sentence) => sentence.includes('SIGTERM'))
    expect(sentences.length).toBeGreaterThan(0)
    for (const sentence of sentences) {
      expect(sentence).toContain(name)
      expect(sentence).not.toMatch(/\d+ (?:s|min)\b/)
    }
  },
)

const { tlsPort: variable } = imapProxy.variables

test('readProxyConfig: TLS port unset or empty, no port', () => {
  expect(readProxyConfig(services, imapProxy, 1)).not.toHaveProperty('tlsPort')
  expect(readProxyConfig({ ...services, [variable]: '' }, imapProxy, 1)).not.toHaveProperty(
    'tlsPort',
  )
})

test.each(['0', '65536', 'imaps'])(
  'readProxyConfig: TLS port %j, throws with the name of the variable',
  (text) =>
    expect(() => readProxyConfig({ ...services, [variable]: text }, imapProxy, 1)).toThrow(
      variable,
    ),
)
