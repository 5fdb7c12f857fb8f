import { startImapScript } from '@posthorn/testkit'

// IMAP server with TLS for many accounts, in its own process. All users share its mailboxes.
const script = await startImapScript({ mailboxes: ['Drafts', 'Sent', 'Junk', 'Trash'] })
for (let n = 1; n <= 20; n++)
  script
    .mailbox('INBOX')
    .append(
      [
        `From: Shop <shop@example.test>`,
        `To: jane@mail.test`,
        `Subject: Message ${n}`,
        `Message-ID: <m${n}@example.test>`,
        `Date: ${new Date().toUTCString()}`,
        '',
        'It is on its way. '.repeat(200),
        '',
      ].join('\r\n'),
    )
process.on('disconnect', () => process.exit(0))
process.send?.({ port: script.securePort })
