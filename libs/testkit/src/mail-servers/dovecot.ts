import { randomBytes } from 'node:crypto'
import { rm } from 'node:fs/promises'
import {
  type AcceptedMessage,
  deliver,
  type DovecotAddress,
  listAcceptedMessages,
  type MailHubAddress,
  startDovecot,
  startMailHub,
} from '@posthorn/local'
import {
  addressIn,
  type PrivateServer,
  type ServerDirectories,
  serverDirectories,
  sharedServer,
} from '../private-server.ts'

export interface TestUser {
  user: string
  pass: string
  /**
   * Email address of a Dovecot user. Mail that is submitted to this server for the address arrives
   * in the user's INBOX.
   */
  address: string
  host: string
  imapPort: number
  imapsPort: number
  submissionPort: number
}

export interface TestDovecot extends DovecotAddress {
  hub: MailHubAddress
  /** Returns a new Dovecot user with an empty mailbox. */
  freshUser: (prefix?: string) => TestUser
  /** Delivers a message to the INBOX of a Dovecot user. Resolves when the message is stored. */
  deliver: (user: string, rfc822: string | Uint8Array) => Promise<void>
  /**
   * Lists messages that the mail hub of the tests accepted from `submissionPort`. Can be limited to
   * a Message-ID.
   */
  accepted: (messageId?: string) => Promise<AcceptedMessage[]>
  drop: () => Promise<void>
}

interface Addresses {
  dovecot: DovecotAddress
  hub: MailHubAddress
}

const useServers = sharedServer<Addresses>('dovecot', configuredServers, startServers)

/**
 * Returns a Dovecot and a mail hub. Uses the servers of TEST_DOVECOT and TEST_MAIL_HUB, or starts
 * servers for this process.
 */
export async function testDovecot(): Promise<TestDovecot> {
  const { address, drop } = await useServers()
  return { ...accessTo(address), drop }
}

/**
 * Starts a Dovecot that accepts OAuth2 tokens and checks every token at `introspectionUrl` (RFC
 * 7662).
 */
export async function testOAuthDovecot(
  introspectionUrl: string,
  tokenMechanisms: readonly ('xoauth2' | 'oauthbearer')[] = ['xoauth2', 'oauthbearer'],
): Promise<TestDovecot> {
  const directories = await serverDirectories('oauth-dovecot')
  const options = { ...directories, introspectionUrl, tokenMechanisms }
  const { address, destroy } = await startServers(options)
  return { ...accessTo(address), drop: destroy }
}

/** Returns the login of a new Dovecot user: user name, password and email address. */
export function uniqueLogin({ password }: { password: string }, prefix = 'user') {
  const user = `${prefix}-${randomBytes(6).toString('hex')}`
  return { user, pass: password, address: `${user}@mail.test` }
}

function accessTo({ dovecot, hub }: Addresses): Omit<TestDovecot, 'drop'> {
  const { host, imapPort, imapsPort, lmtpPort, submissionPort } = dovecot
  const ports = { host, imapPort, imapsPort, submissionPort }
  return {
    ...dovecot,
    hub,
    freshUser: (prefix) => ({ ...uniqueLogin(dovecot, prefix), ...ports }),
    deliver: (user, rfc822) => deliver(lmtpPort, user, rfc822),
    accepted: (messageId) => listAcceptedMessages(hub.control, messageId),
  }
}

function configuredServers(): Addresses | undefined {
  const dovecot = addressIn<DovecotAddress>('TEST_DOVECOT')
  const hub = addressIn<MailHubAddress>('TEST_MAIL_HUB')
  return dovecot && hub && { dovecot, hub }
}

async function startServers(
  options: ServerDirectories & Parameters<typeof startDovecot>[0],
): Promise<PrivateServer<Addresses>> {
  const { dir } = options
  const dovecot = await startDovecot(options)
  const hub = await startMailHub({ dir, port: dovecot.relayPort, lmtpPort: dovecot.lmtpPort })
  return {
    address: { dovecot: dovecot.address, hub: hub.address },
    async destroy() {
      await hub.stop()
      await dovecot.destroy()
      await rm(dir, { recursive: true, force: true })
    },
  }
}
