import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server'
import { deliver } from './lmtp.ts'

export interface MailHubOptions {
  port: number
  /**
   * HTTP port at which the mail hub (test SMTP server) lists its accepted messages: `GET /messages`
   * and `GET /messages?id=<…>`.
   */
  controlPort: number
  bind: string
  /**
   * LMTP port of the mail server that receives mail for addresses at mail.test. Mail for other
   * addresses is only recorded.
   */
  lmtpPort: number
}

/**
 * Message that the mail hub (test SMTP server) accepted. `to` contains only the recipients that
 * were accepted.
 */
export interface AcceptedMessage {
  messageId: string
  from: string
  to: string[]
  sha256: string
  bytes: number
  at: string
}

const maxBytes = 64 * 1024 * 1024
const maxMessages = 20_000

/**
 * Starts an SMTP server that stands for all external mail servers. The server accepts and records
 * every message. Mail for addresses at mail.test is delivered by LMTP before the reply 250. The
 * server rejects recipients named `reject-550…` or `defer-451…` at RCPT with the code in the name,
 * which may be any code. Recipients named `reject-data-550…` are rejected at the end of data.
 */
export async function serveMailHub({
  port,
  controlPort,
  bind,
  lmtpPort,
}: MailHubOptions): Promise<AsyncDisposable> {
  const accepted: AcceptedMessage[] = []
  const smtp = new SMTPServer({
    name: 'hub.mail.test',
    authOptional: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    size: maxBytes,
    disableReverseLookup: true,
    onRcptTo(address, _session, callback) {
      callback(rejectionOf(/^(?:reject|defer)-(\d{3})/, address.address))
    },
    onData(stream, session, callback) {
      acceptMessage(stream, session, lmtpPort).then(
        (message) => {
          accepted.push(message)
          if (accepted.length > maxMessages) accepted.shift()
          callback(null, `accepted ${message.messageId}`)
        },
        (error: unknown) => callback(error instanceof Error ? error : new Error(String(error))),
      )
    },
  })
  // Errors of SMTP clients that disconnect from the mail hub are ignored.
  smtp.on('error', () => undefined)
  const listening = smtp.listen(port, bind)
  await once(listening, 'listening')
  const control = createServer((request, response) => {
    const id = new URL(request.url ?? '/', 'http://hub').searchParams.get('id')
    const answer = id === null ? accepted : accepted.filter(({ messageId }) => messageId === id)
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(answer))
  })
  control.listen(controlPort, '127.0.0.1')
  await once(control, 'listening')
  return {
    async [Symbol.asyncDispose]() {
      control.close()
      await new Promise<void>((resolve) => smtp.close(resolve))
    },
  }
}

async function acceptMessage(
  stream: SMTPServerDataStream,
  session: SMTPServerSession,
  lmtpPort: number,
): Promise<AcceptedMessage> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk as Buffer)
  if (stream.sizeExceeded) throw Object.assign(new Error('too big'), { responseCode: 552 })
  const bytes = Buffer.concat(chunks)
  const { mailFrom, rcptTo } = session.envelope
  const to = rcptTo.map(({ address }) => address)
  for (const address of to) {
    const refused = rejectionOf(/^reject-data-(\d{3})/, address)
    if (refused) throw refused
  }
  for (const address of to)
    if (address.toLowerCase().endsWith('@mail.test')) await deliver(lmtpPort, address, bytes)
  return {
    messageId:
      /^message-id:\s*(\S+)/im.exec(
        bytes.subarray(0, 65_536).toString('latin1').split('\r\n\r\n')[0] ?? '',
      )?.[1] ?? '',
    from: mailFrom === false ? '' : mailFrom.address,
    to,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    bytes: bytes.length,
    at: new Date().toISOString(),
  }
}

function rejectionOf(pattern: RegExp, address: string): Error | null {
  const code = pattern.exec(address)?.[1]
  return code === undefined
    ? null
    : Object.assign(new Error(`${address} rejected as its name requests`), {
        responseCode: Number(code),
      })
}
