import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { readDrain } from './drain.ts'

const root = join(import.meta.dirname, '../../..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')

test.each([
  ['SVC_IMAP_PROXY_DRAIN', 'services/imap-proxy/README.md'],
  ['SVC_SMTP_PROXY_DRAIN', 'services/smtp-proxy/README.md'],
])(
  'readDrain: the default of %s is that of the reference, to which the README refers',
  (name, readme) => {
    const { drainMs, shutdownTimeoutMs } = readDrain({}, name, { shutdownTimeoutMs: 10_000 })
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
