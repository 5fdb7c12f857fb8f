import { afterAll, expect, test } from '@jest/globals'
import { eventually, startImapScript } from '@posthorn/testkit'
import {
  freshMessageId,
  plainMessage,
  registration,
  startWorld,
  untilConnected,
  type World,
} from '../world.ts'
import {
  announcements,
  chooseCorpus,
  endsDovecot,
  readContinuously,
  watchProcesses,
} from './hostile-mail-job.ts'

// Hostile messages in a running system, through Dovecot and through a scripted IMAP server: a
// sample, or all messages with TEST_HOSTILE_MAIL=all, which takes minutes.

const size = process.env['TEST_HOSTILE_MAIL']

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())

async function startSystem() {
  const world = stack.use(
    await startWorld({
      names: ['api-gateway', 'auth-bridge', 'sync-worker', 'webhook-dispatcher'],
      settings: { notifyText: true, notifyWebSafeHtml: true, notifyCalendarEvents: true },
    }),
  )
  return { world, script: stack.use(await startImapScript()) }
}

/** Registers an account on the scripted IMAP server. */
async function registerScripted(
  { posthorn, mail }: World,
  { account, port }: { account: string; port: number },
): Promise<void> {
  const user = mail.freshUser()
  const { imap } = registration(account, { ...user, imapPort: port })
  const auth = { user: user.user, pass: 'secret' }
  await posthorn.createAccount({ body: { account, name: account, imap: { ...imap, auth } } })
  await untilConnected({ posthorn }, account)
}

test('hostile messages: each is announced once, accounts stay connected, reads of others succeed', async () => {
  const { world, script } = await startSystem()
  const corpus = chooseCorpus(size)
  const announced = announcements(world.receiver)
  const quiet = await world.connectAccount('quiet')
  const attacked = await world.connectAccount('attacked')
  await registerScripted(world, { account: 'scripted', port: script.port })
  await world.mail.deliver(quiet.user, plainMessage({ messageId: freshMessageId() }))
  await eventually(() => expect(announced.uids('quiet')).toHaveLength(1), { timeoutMs: 150_000 })

  const processes = stack.use(watchProcesses(world.services))
  const reads = stack.use(readContinuously(world, 'quiet'))
  const refused: string[] = []
  for (const { name, mime } of corpus) {
    const bytes = mime()
    if (endsDovecot(name)) refused.push(name)
    else await world.mail.deliver(attacked.user, bytes).catch(() => refused.push(name))
    script.mailbox('INBOX').append(bytes)
  }
  const delivered = corpus.length - refused.length
  const allowedMs = 150_000 + 5_000 * corpus.length
  await eventually(
    async () => {
      // Dovecot may store a message and end before it replies to the delivery.
      const { total } = await world.posthorn.listMessages({ account: 'attacked', path: 'INBOX' })
      expect(total).toBeGreaterThanOrEqual(delivered)
      expect(announced.uids('attacked')).toHaveLength(total)
      expect(announced.uids('scripted')).toHaveLength(corpus.length)
    },
    { timeoutMs: allowedMs },
  )
  await reads.stop()
  const report = {
    messages: corpus.length,
    refused,
    ...reads.summary(),
    ...(await processes.peaks()),
  }
  process.stdout.write(`hostile mail: ${JSON.stringify(report, undefined, 2)}\n`)

  expect(announced.repeated()).toEqual([])
  expect(announced.failures()).toEqual([])
  expect(reads.failures()).toEqual([])
  expect(processes.aboveLimit()).toEqual([])
  for (const account of ['quiet', 'attacked', 'scripted']) await untilConnected(world, account)
}, 7_200_000)
