import { randomUUID } from 'node:crypto'
import { VirtualClock } from '@posthorn/testkit/providers'
import { type GmailMailbox, startGmailFake } from '@posthorn/testkit/providers/gmail'
import type { Config } from '../src/config.ts'
import { testWorld } from './world.ts'

/** World with the fake of Gmail, and accounts with mailboxes at the fake. */
export async function gmailWorld() {
  const world = await testWorld()
  const gmail = await startGmailFake({ clock: new VirtualClock(new Date()) })
  const providerOrigins = { 'https://gmail.googleapis.com': gmail.origin }
  const startGmailWorker = (over: Partial<Config> = {}) =>
    world.startWorker({ providerOrigins, oauthEgressPolicy: 'off', ...over })
  /** Registers an account with a separate mailbox at the fake of Gmail. */
  const register = async (
    prepare: (mailbox: GmailMailbox) => void = () => undefined,
  ): Promise<{ account: string; mailbox: GmailMailbox }> => {
    const user = `${randomUUID()}@mail.example`
    const mailbox = gmail.addMailbox(user)
    prepare(mailbox)
    const account = await world.registerApi('gmail', { user, accessToken: gmail.grant(user) })
    return { account, mailbox }
  }
  return {
    ...world,
    gmail,
    startGmailWorker,
    register,
    async close() {
      await world.close()
      await gmail[Symbol.asyncDispose]()
    },
  }
}
