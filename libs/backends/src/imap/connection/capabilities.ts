import type { ImapFlow } from 'imapflow'
import type { Capabilities } from '../../mail-session.ts'
import { hasCapability } from '../imapflow-internals.ts'

/**
 * Capabilities of an IMAP server: the advertised capabilities, and those that an enabled IMAP4rev2
 * implies (RFC 9051 appendix E).
 */
export function capabilitiesOf(client: ImapFlow): Capabilities {
  const has = (name: string) => hasCapability(client, name)
  return {
    condstore: hasCondstore(client),
    qresync: client.enabled.has('QRESYNC'),
    esearch: has('ESEARCH'),
    idle: has('IDLE'),
    notify: has('NOTIFY'),
    objectId: has('OBJECTID'),
    listStatus: has('LIST-STATUS'),
    move: has('MOVE'),
    uidPlus: has('UIDPLUS'),
    gmail: has('X-GM-EXT-1'),
    quota: has('QUOTA'),
  }
}

/**
 * True if CONDSTORE is enabled on an IMAP connection. The advertised capability is not enough: some
 * servers that advertise CONDSTORE respond BAD to FETCH CHANGEDSINCE.
 */
export function hasCondstore(client: ImapFlow): boolean {
  return client.enabled.has('CONDSTORE')
}
