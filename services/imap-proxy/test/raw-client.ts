import { RawClient as Client } from '@posthorn/testkit'

/** A client of IMAP that says exactly what it is told to. */
export class RawClient extends Client {
  /** Says it in one go and waits for the line of that tag. */
  async command(text: string): Promise<string> {
    this.send(`${text}\r\n`)
    const tag = text.split(' ')[0] ?? ''
    return this.until(new RegExp(`^${tag} .*\r\n`, 'm'))
  }
}
