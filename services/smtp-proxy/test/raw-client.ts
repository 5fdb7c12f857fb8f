import { RawClient as Client } from '@posthorn/testkit'

/** A client of SMTP that says exactly what it is told to. */
export class RawClient extends Client {
  /** One that has been greeted and has said EHLO. */
  static async greeted(port: number, from?: string): Promise<RawClient> {
    const client = await RawClient.open(port, from)
    await client.reply()
    await client.command('EHLO client.example')
    return client
  }

  /** Says it and returns the reply, its last line alone. */
  command(text: string): Promise<string> {
    this.send(`${text}\r\n`)
    return this.reply()
  }

  /** The last line of the next reply. */
  async reply(): Promise<string> {
    return (await this.wholeReply()).slice(0, -2).split('\r\n').at(-1) ?? ''
  }

  /** All lines of the next reply. */
  wholeReply(): Promise<string> {
    return this.until(/^(?:\d{3}-.*\r\n)*\d{3} .*\r\n/)
  }
}
