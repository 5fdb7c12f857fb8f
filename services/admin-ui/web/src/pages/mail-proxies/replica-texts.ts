import type { MailProxyEntry } from '../../data/mail-proxies.ts'
import type { Tone } from '../../kit/content/badge.tsx'

/** Badge with a state in words and a color. */
export interface StateBadge {
  tone: Tone
  text: string
}

/**
 * Time before the expiry of a mail proxy's certificate in which its badge warns, as the findings
 * do.
 */
const renewalMs = 14 * 86_400_000

/** Badge for the certificate of a mail proxy's replica, by the time until its expiry. */
export function certificateBadge(expiresAt: string, now: number): StateBadge {
  const leftMs = Date.parse(expiresAt) - now
  if (leftMs <= 0) return { tone: 'bad', text: 'expired' }
  return leftMs <= renewalMs
    ? { tone: 'warn', text: 'expires soon' }
    : { tone: 'good', text: 'valid' }
}

/** Badge for the listener of a mail proxy's replica. */
export function listenerBadge({ listener }: Pick<MailProxyEntry, 'listener'>): StateBadge {
  if (listener === 'failed') return { tone: 'bad', text: 'does not listen' }
  return listener === 'off' ? { tone: 'neutral', text: 'off' } : { tone: 'good', text: 'listening' }
}

type ListenerFacts = Pick<MailProxyEntry, 'port' | 'tls' | 'tlsPort' | 'error'>

/**
 * Ports at which a mail proxy's replica listens, or the reason for which the replica does not
 * listen.
 */
export function listenerText({ port, tls, tlsPort, error }: ListenerFacts): string {
  if (error !== undefined) return error
  if (port === undefined) return ''
  const first = tls === true ? `port ${port} with TLS` : `port ${port}`
  return tlsPort === undefined ? first : `${first}, port ${tlsPort} with TLS`
}
