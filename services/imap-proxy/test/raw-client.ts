import { RawClient as Client } from '@posthorn/testkit'

/** IMAP client of the tests that sends exactly the given bytes. */
export class RawClient extends Client {
  /** Sends an IMAP command and waits for its tagged response. */
  async command(text: string): Promise<string> {
    this.send(`${text}\r\n`)
    const tag = text.split(' ')[0] ?? ''
    return this.until(new RegExp(`^${tag} .*\r\n`, 'm'))
  }
}
