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
  /** A user nobody has used before. Its mailboxes (INBOX, Drafts, Sent, Trash, Junk, Archive) come with the first login or delivery. */
  freshUser: (prefix?: string) => TestCyrusUser
  /** Puts a message into a user's inbox; resolves when it is there. */
  deliver: (user: string, rfc822: string | Uint8Array) => Promise<void>
  drop: () => Promise<void>
}

const ownServer = sharedServer('cyrus', (dir) =>
  startCyrus({ dir, cache: cacheDirectory(process.env) }),
)

/** False where one has asked to do without (TEST_CYRUS=off): tests of Cyrus are then to be skipped. */
export function hasCyrus(): boolean {
  return process.env['TEST_CYRUS'] !== 'off'
}

/** A Cyrus: that of TEST_CYRUS, else one started for this process. */
export async function testCyrus(): Promise<TestCyrus> {
  const { TEST_CYRUS: given } = process.env
  const cyrus = given ? (JSON.parse(given) as CyrusAddress) : await ownServer.use()
  const { host, imapPort, imapsPort, lmtpPort, password } = cyrus
  return {
    ...toCyrusAddress(cyrus),
    freshUser(prefix = 'user') {
      const user = `${prefix}-${randomBytes(6).toString('hex')}`
      return { user, pass: password, address: `${user}@mail.test`, host, imapPort, imapsPort }
    },
    deliver: (user, rfc822) => deliver(lmtpPort, user, rfc822),
    drop: async () => void (given || (await ownServer.release())),
  }
}
