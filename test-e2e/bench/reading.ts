import { operations } from '@posthorn/contracts/operations'
import type { ImapFlow } from 'imapflow'
import { logIn } from '../stories/imap-client.ts'
import { untilConnected, type World } from '../world.ts'
import { callApi } from './call-api.ts'
import { fillInbox } from './fill-mailbox.ts'
import { percentile, type Row } from './report.ts'

const mailboxSize = 10_000
const rounds = 200
const inParallel = 16

/**
 * Measures `GET messages` and `GET message` through the whole system. Compares them with the same
 * commands of plain IMAP clients on warm connections.
 */
export async function benchReading(world: World): Promise<Row[]> {
  const user = world.mail.freshUser('reader')
  const plain = await Promise.all(Array.from({ length: 4 }, () => logIn(user)))
  const [filler] = plain
  if (!filler) throw new Error('no client')
  await fillInbox(filler, mailboxSize)
  await world.register('reader', user)
  await untilConnected(world, 'reader')
  for (const client of plain) await client.mailboxOpen('INBOX', { readOnly: true })
  const rows = [
    ...(await compare('GET messages (20)', plain, {
      measured: () => listMessages(world),
      plain: (client) => fetchPage(client),
    })),
  ]
  const ids = (await listMessages(world)).map(({ id, uid }) => ({ id, uid }))
  let turn = 0
  const next = () => ids[turn++ % ids.length] ?? { id: '', uid: 0 }
  rows.push(
    ...(await compare('GET message', plain, {
      measured: () => getMessage(world, next().id),
      plain: (client) => fetchOne(client, next().uid),
    })),
  )
  await Promise.all(plain.map((client) => client.logout()))
  return rows
}

interface Pair {
  measured: () => Promise<unknown>
  plain: (client: ImapFlow) => Promise<unknown>
}

async function compare(what: string, clients: readonly ImapFlow[], pair: Pair): Promise<Row[]> {
  const rows: Row[] = []
  for (const lanes of [1, inParallel]) {
    const measured = await measure(lanes, () => pair.measured())
    const plain = await measure(lanes, (lane) => {
      const client = clients[lane % clients.length]
      if (!client) throw new Error('no client')
      return pair.plain(client)
    })
    rows.push({
      what: `${what}, ${lanes} concurrent, ${mailboxSize} messages in the mailbox, p50`,
      measured: percentile(measured, 50),
      reference: percentile(plain, 50),
      unit: ' ms',
      referenceIs: lanes === 1 ? 'plain client, warm' : `${clients.length} plain clients, warm`,
    })
  }
  return rows
}

/**
 * Duration of each call in milliseconds, with `lanes` concurrent calls. The first call of each lane
 * is not counted.
 */
async function measure(lanes: number, call: (lane: number) => Promise<unknown>): Promise<number[]> {
  const times: number[] = []
  await Promise.all(
    Array.from({ length: lanes }, async (_, lane) => {
      for (let n = 0; n < 5; n++) await call(lane)
      for (let n = 0; n < rounds / lanes; n++) {
        const from = performance.now()
        await call(lane)
        times.push(performance.now() - from)
      }
    }),
  )
  return times
}

async function listMessages(world: World): Promise<{ id: string; uid: number }[]> {
  const { status, body } = await callApi(world, operations.listMessages, {
    params: { account: 'reader' },
    query: { path: 'INBOX' },
  })
  if (status !== 200) throw new Error(`listing: ${status} ${JSON.stringify(body)}`)
  return body.messages
}

async function getMessage(world: World, message: string): Promise<void> {
  const { status, body } = await callApi(world, operations.getMessage, {
    params: { account: 'reader', message },
  })
  if (status !== 200) throw new Error(`reading: ${status} ${JSON.stringify(body)}`)
}

function fetchPage(client: ImapFlow): Promise<unknown> {
  return client.fetchAll(`${mailboxSize - 19}:*`, {
    uid: true,
    flags: true,
    size: true,
    internalDate: true,
    envelope: true,
    bodyStructure: true,
  })
}

function fetchOne(client: ImapFlow, uid: number): Promise<unknown> {
  return client.fetchOne(
    String(uid),
    {
      uid: true,
      flags: true,
      size: true,
      internalDate: true,
      envelope: true,
      bodyStructure: true,
      headers: true,
    },
    { uid: true },
  )
}
