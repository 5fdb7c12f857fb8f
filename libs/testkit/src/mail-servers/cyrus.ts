import { randomBytes } from 'node:crypto'
import { type CyrusAddress, toCyrusAddress, deliver, startCyrus } from '@posthorn/local'
import { cacheDirectory } from '@posthorn/local/paths'
import { sharedServer } from '../private-server.ts'

export interface TestCyrusUser {
  user: string
  pass: string
  address: string
  host: string
  imapPort: number
  imapsPort: number
}

export interface TestCyrus extends CyrusAddress {
  /**
   * Returns a new user. The mailboxes (INBOX, Drafts, Sent, Trash, Junk, Archive) are created at
   * the first login or delivery.
   */
  freshUser: (prefix?: string) => TestCyrusUser
  /** Delivers a message to a user's INBOX. Resolves when it is stored. */
  deliver: (user: string, rfc822: string | Uint8Array) => Promise<void>
  drop: () => Promise<void>
}

const ownServer = sharedServer('cyrus', (dir) =>
  startCyrus({ dir, cache: cacheDirectory(process.env) }),
)

/** False with TEST_CYRUS=off. Tests of Cyrus are then skipped. */
export function hasCyrus(): boolean {
  return process.env['TEST_CYRUS'] !== 'off'
}

/** Returns the Cyrus of TEST_CYRUS, else one that is started for this process. */
export async function testCyrus(): Promise<TestCyrus> {
  const { TEST_CYRUS: configured } = process.env
  const cyrus = configured ? (JSON.parse(configured) as CyrusAddress) : await ownServer.use()
  const { host, imapPort, imapsPort, lmtpPort, password } = cyrus
  return {
    ...toCyrusAddress(cyrus),
    freshUser(prefix = 'user') {
      const user = `${prefix}-${randomBytes(6).toString('hex')}`
      return { user, pass: password, address: `${user}@mail.test`, host, imapPort, imapsPort }
    },
    deliver: (user, rfc822) => deliver(lmtpPort, user, rfc822),
    drop: async () => void (configured || (await ownServer.release())),
  }
}
