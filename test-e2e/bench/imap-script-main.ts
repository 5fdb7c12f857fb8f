import { startImapScript } from '@posthorn/testkit'

// IMAP server in memory for many accounts, which share one set of mailboxes. With the argument
// `secure`, clients connect over TLS.
const server = await startImapScript()
server
  .mailbox('INBOX')
  .append('From: shop@example.test\r\nTo: jane@mail.test\r\nSubject: Hello\r\n\r\nHello\r\n')
process.on('disconnect', () => process.exit(0))
process.send?.({ port: process.argv[2] === 'secure' ? server.securePort : server.port })
