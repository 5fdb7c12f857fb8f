import { ImapFlow } from 'imapflow'
import type { ConnectOptions, ImapBackend } from '../src/mail-session.ts'
import { createImapBackend } from '../src/imap/backend.ts'
import { quietLogger } from './quiet-logger.ts'
import type { TestEnvironment, TestAccount } from './environment.ts'
import { tcpLink } from './tcp-link.ts'

const timings = {
  sampleMs: 100,
  quietMs: 1_000,
  renewMs: 1_500,
  pollMs: 300,
  keepAliveMs: 50_000,
}

/**
 * Creates the production IMAP backend with shorter timings. `probeMs` is long, because mail servers
 * are slow on a busy machine.
 */
export function testBackend(): ImapBackend {
  return createImapBackend({ ...timings, probeMs: 60_000 })
}

export interface MailUser {
  user: string
  pass: string
  host: string
  imapPort: number
  imapsPort: number
}

/** Mail server that provides unused users for tests. */
export interface MailServer {
  freshUser(prefix: string): MailUser | Promise<MailUser & AsyncDisposable>
}

/**
 * Test environment with accounts on an IMAP server. A separate connection of the test modifies the
 * accounts.
 */
export function imapEnvironment(backend: ImapBackend, server: MailServer): TestEnvironment {
  return {
    backend,
    shortTimeoutBackend: createImapBackend({ ...timings, probeMs: 2_000 }),
    async account() {
      const one = await server.freshUser('backends')
      const { user, pass, host, imapPort, imapsPort } = one
      const link = await tcpLink({ host, port: imapPort })
      const other = new ImapFlow({
        host,
        port: imapPort,
        secure: false,
        tls: { rejectUnauthorized: false },
        auth: { user, pass },
        logger: false,
        disableAutoIdle: true,
      })
      await other.connect()
      const options: ConnectOptions = {
        host: '127.0.0.1',
        port: link.port,
        secure: false,
        rejectUnauthorized: false,
        credentials: { user, pass },
        log: quietLogger(),
      }
      return {
        options,
        tls: { ...options, host, port: imapsPort, secure: true },
        ...otherClient(other),
        cut: link.cut,
        freeze: link.freeze,
        async [Symbol.asyncDispose]() {
          await other.logout()
          await link.close()
          if (Symbol.asyncDispose in one) await one[Symbol.asyncDispose]()
        },
      }
    },
  }
}

type OtherClient = Pick<
  TestAccount,
  'append' | 'changeFlags' | 'expunge' | 'createMailbox' | 'renameMailbox' | 'deleteMailbox'
>

function otherClient(other: ImapFlow): OtherClient {
  return {
    async append(rfc822, { mailbox = 'INBOX', flags = [], date } = {}) {
      const stored = await other.append(mailbox, rfc822, flags, date)
      if (!stored || !stored.uid) throw new Error('the message was not stored')
      return stored.uid
    },
    async changeFlags(uid, { add = [], remove = [], mailbox = 'INBOX' }) {
      await other.mailboxOpen(mailbox)
      if (add.length > 0) await other.messageFlagsAdd(String(uid), add, { uid: true })
      if (remove.length > 0) await other.messageFlagsRemove(String(uid), remove, { uid: true })
    },
    async expunge(uid) {
      await other.mailboxOpen('INBOX')
      if (!(await other.messageDelete(String(uid), { uid: true }))) throw new Error('not deleted')
    },
    async createMailbox(path) {
      await other.mailboxCreate(path)
    },
    async renameMailbox(path, newPath) {
      await other.mailboxRename(path, newPath)
    },
    async deleteMailbox(path) {
      await other.mailboxDelete(path)
    },
  }
}
