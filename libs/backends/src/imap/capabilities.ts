import type { ImapFlow } from 'imapflow'
import type { Capabilities } from '../backend.ts'
import { hasCapability } from './imapflow-internals.ts'

/** What the server can: as advertised, or as IMAP4rev2 brings along (RFC 9051 appendix E) where that is spoken. */
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

/** Enabled, not merely advertised: some servers advertise it and answer FETCH CHANGEDSINCE with BAD. */
export function hasCondstore(client: ImapFlow): boolean {
  return client.enabled.has('CONDSTORE')
}
