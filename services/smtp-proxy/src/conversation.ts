import { SMTPConnection } from 'smtp-server/lib/smtp-connection.js'

/** RFC 3463 §2, at the start of a text that brings its own. */
const enhancedCode = /^[245]\.\d{1,3}\.\d{1,3} /

/** A client's connection, with our words. */
export class Conversation extends SMTPConnection {
  override send(code: number, data?: string | string[] | null, context?: string | false): void {
    // The answer that names the queue id is part of our interface and comes as it is, alone of all without an enhanced status code.
    const isOwn = context === 'DATA_OK' || (typeof data === 'string' && enhancedCode.test(data))
    super.send(code, data, isOwn ? false : context)
  }
}
