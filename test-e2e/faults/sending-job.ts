import type { Submission } from '@posthorn/client'
import { withClient } from '@posthorn/local/postgres/client'
import { eventually, type SmtpScript } from '@posthorn/testkit'
import { untilConnected, type World } from '../world.ts'

/** Registers an account that sends through the scripted SMTP server. */
export async function addSender(world: World, sink: SmtpScript, account: string): Promise<string> {
  const smtp = {
    host: sink.host,
    port: sink.port,
    secure: false,
    auth: { user: account, pass: 'any' },
    tls: { rejectUnauthorized: false },
  }
  await world.register(account, world.mail.freshUser(), { smtp })
  await untilConnected(world, account)
  return account
}

export interface Submitted {
  queueId: string
  messageId: string
}

/** Submits a message. Repeats the request until the response has status 200. */
export async function submit(
  world: World,
  account: string,
  more: Submission = {},
): Promise<Submitted> {
  return eventually(() => submitOnce(world, account, more))
}

/** Submits a message once. A rejected submission throws, so that the caller repeats it. */
async function submitOnce(world: World, account: string, more: Submission): Promise<Submitted> {
  const { queueId = '', messageId = '' } = await world.posthorn.submitMessage({
    account,
    body: {
      to: [{ address: 'you@elsewhere.example' }],
      subject: 'Under fire',
      text: 'Hello',
      copy: false,
      deliveryAttempts: 100,
      ...more,
    },
  })
  return { queueId, messageId }
}

/** Submits several messages with 8 concurrent API calls. */
export async function submitMany(
  world: World,
  accounts: readonly string[],
  count: number,
): Promise<Submitted[]> {
  const submitted: Submitted[] = []
  let next = 0
  const lane = async () => {
    for (let n = next++; n < count; n = next++)
      submitted.push(await submit(world, accounts[n % accounts.length] ?? ''))
  }
  await Promise.all(Array.from({ length: 8 }, lane))
  return submitted
}

/**
 * Lists submissions whose end of data may have been sent, but whose result is not recorded. The
 * SMTP server may have accepted these messages.
 */
export async function listHandedOver({ ownerUrl }: World): Promise<string[]> {
  const { rows } = await withClient(ownerUrl, (client) =>
    client.query<{ message_id: string }>(
      "select message_id from outbox where state = 'queued' and data_sent_at is not null",
    ),
  )
  return rows.map(({ message_id: messageId }) => messageId)
}

export async function outboxRow({ ownerUrl }: World, queueId: string) {
  const { rows } = await withClient(ownerUrl, (client) =>
    client.query<{ state: string; attempts: number; data_sent_at: Date | null }>(
      'select state, attempts, data_sent_at from outbox where queue_id = $1',
      [queueId],
    ),
  )
  return rows[0]
}

/** Waits until the SMTP server has received all submitted messages. */
export async function untilArrived(
  sink: SmtpScript,
  submitted: readonly Submitted[],
  timeoutMs = 120_000,
): Promise<void> {
  await eventually(
    () => {
      const here = new Set(sink.accepted.map(({ messageId }) => messageId))
      const lost = submitted.filter(({ messageId }) => !here.has(messageId))
      if (lost.length > 0)
        throw new Error(`${lost.length} are missing, ${lost[0]?.messageId} first`)
    },
    { timeoutMs },
  )
}

/**
 * Lists the Message-IDs that arrived at the SMTP server more than once, and whether all copies of a
 * message are identical.
 */
export function listDuplicates(
  sink: SmtpScript,
): { messageId: string; copies: number; same: boolean }[] {
  const hashes = new Map<string, string[]>()
  for (const { messageId, sha256 } of sink.accepted)
    hashes.set(messageId, [...(hashes.get(messageId) ?? []), sha256])
  return [...hashes]
    .filter(([, copies]) => copies.length > 1)
    .map(([messageId, copies]) => ({
      messageId,
      copies: copies.length,
      same: new Set(copies).size === 1,
    }))
}

/** Makes a waiting submission due by changing its stored time. */
export async function makeDue({ ownerUrl }: World, { queueId }: Submitted): Promise<void> {
  const { rowCount } = await withClient(ownerUrl, (client) =>
    client.query(
      "update outbox set send_at = now(), next_attempt_at = now() where queue_id = $1 and state = 'queued'",
      [queueId],
    ),
  )
  if (rowCount !== 1) throw new Error(`${queueId} does not wait`)
}
