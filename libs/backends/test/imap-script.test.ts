import { startImapScript, usualCapabilities } from '@posthorn/testkit'
import { conformanceSuite } from './conformance.ts'
import { imapEnvironment, testBackend } from './imap-environment.ts'

// Runs the conformance suite of IMAP servers, whose cases contain the assertions, against the
// scripted server of the fault tests. The scripted server must behave like a real server, and has
// extensions that real IMAP servers lack.
conformanceSuite(
  imapEnvironment(testBackend(), {
    async freshUser() {
      const use = (path: string) => [path, { attributes: [`\\${path}`] }]
      const server = await startImapScript({
        capabilities: [...usualCapabilities, 'STARTTLS', 'OBJECTID', 'NOTIFY'],
        users: { jane: 'secret' },
        mailboxes: Object.fromEntries(['Sent', 'Drafts', 'Junk', 'Trash', 'Archive'].map(use)),
        quota: { usage: 0, limit: 2 ** 30 },
      })
      return {
        user: 'jane',
        pass: 'secret',
        host: server.host,
        imapPort: server.port,
        imapsPort: server.securePort,
        [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
      }
    },
  }),
)
