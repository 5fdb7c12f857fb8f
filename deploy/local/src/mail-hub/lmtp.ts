/** Delivers a message to a user's INBOX through an LMTP server on this machine. */
export async function deliver(
  lmtpPort: number,
  user: string,
  rfc822: string | Uint8Array,
): Promise<void> {
  const to = user.includes('@') ? user : `${user}@mail.test`
  // nodemailer is loaded at the first delivery: most test files deliver no mail, and the import
  // takes 60 ms of CPU.
  const { createTransport } = await import('nodemailer')
  const transport = createTransport({
    host: '127.0.0.1',
    port: lmtpPort,
    lmtp: true,
    ignoreTLS: true,
    connectionTimeout: 5_000,
    socketTimeout: 30_000,
  })
  try {
    await transport.sendMail({
      envelope: { from: 'sender@mail.test', to },
      raw: typeof rfc822 === 'string' ? rfc822 : Buffer.from(rfc822),
    })
  } finally {
    transport.close()
  }
}
