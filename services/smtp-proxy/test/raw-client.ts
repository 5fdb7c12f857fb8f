import { RawClient as Client } from '@posthorn/testkit'

/** SMTP client of the tests that sends exactly the given bytes. */
export class RawClient extends Client {
  /** Connects to smtp-proxy, reads the greeting and sends EHLO. */
  static async greeted(port: number, from?: string): Promise<RawClient> {
    const client = await RawClient.open(port, from)
    await client.reply()
    await client.command('EHLO client.example')
    return client
  }

  /** Sends an SMTP command and returns the last line of its reply. */
  command(text: string): Promise<string> {
    this.send(`${text}\r\n`)
    return this.reply()
  }

  /** Returns the last line of the next SMTP reply. */
  async reply(): Promise<string> {
    return (await this.wholeReply()).slice(0, -2).split('\r\n').at(-1) ?? ''
  }

  /** Returns all lines of the next SMTP reply. */
  wholeReply(): Promise<string> {
    return this.until(/^(?:\d{3}-.*\r\n)*\d{3} .*\r\n/)
  }
}
