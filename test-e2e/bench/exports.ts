import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { createGzip } from 'node:zlib'
import { eventually, type TestUser } from '@posthorn/testkit'
import express from 'express'
import type { ImapFlow } from 'imapflow'
import { simpleParser } from 'mailparser'
import { logIn } from '../stories/imap-client.ts'
import { freshMessageId, plainMessage, startWorld, untilConnected, type World } from '../world.ts'
import { buildBundle } from './build-bundle.ts'
import { containerOptions } from './container-options.ts'
import { exportPaths, fillFolders } from './export-mailbox.ts'
import { percentile, perSecond, type Row } from './report.ts'
import { residentBytes } from './resident-bytes.ts'

const mailboxes = [
  { account: 'exporter-text', copies: 83, withAttachments: false },
  { account: 'exporter-attachments', copies: 21, withAttachments: true },
]
/**
 * Number of messages whose webhook latency is measured during an export, and as many without an
 * export.
 */
const deliveries = 100
/**
 * Pause before a message is appended, in milliseconds. After the pause, new mail is reported
 * without a delay.
 */
const betweenMs = 700
/** Number of downloads of an export file. The figure is their median duration. */
const downloads = 5
const mib = 1024 * 1024

/**
 * Measures exports of whole mailboxes through the whole system, with the processes of the image.
 * Compares the exports with a loop of plain libraries: imapflow, mailparser and gzip. Also measures
 * the memory of sync-worker, the effect on new mail, and the download.
 */
export async function benchExports(): Promise<Row[]> {
  await using stack = new AsyncDisposableStack()
  const world = stack.use(
    await startWorld({
      servers: 'own',
      durable: true,
      bundle: await buildBundle(stack),
      envByService: await containerOptions(),
    }),
  )
  const rows: Row[] = []
  for (const { account, copies, withAttachments } of mailboxes) {
    const user = world.mail.freshUser(account)
    const client = await logIn(user)
    const count = await fillFolders(client, { copies, withAttachments })
    await world.register(account, user)
    await untilConnected(world, account)
    const reference = perSecond(count, await loopOf(client, withAttachments))
    await client.logout()
    const memory = await watchMemory(world)
    const { exportId, ms } = await exportAll(world, account, withAttachments)
    rows.push(
      {
        what: `export of ${count} messages, ${withAttachments ? 'attachments of 30 kB' : 'text only'}`,
        measured: perSecond(count, ms),
        reference,
        unit: '/s',
        referenceIs: 'loop of imapflow, mailparser and gzip',
      },
      {
        what: '    memory of the worker above idle',
        measured: (await memory.end()) / mib,
        reference: 64,
        unit: ' MiB',
        referenceIs: 'limit',
      },
    )
    rows.push(
      withAttachments
        ? await benchDownload(world, account, exportId)
        : await benchNewMail(world, account, user),
    )
  }
  return rows
}

/** Measures how much memory a sync-worker takes at most above its memory of now. */
async function watchMemory({ services }: World) {
  const pids = Object.entries(services.pids).flatMap(([name, pid]) =>
    name.startsWith('sync-worker') ? [pid] : [],
  )
  const now = () => Promise.all(pids.map(residentBytes))
  const idle = await now()
  let [most, isOver] = [0, false]
  const watching = (async () => {
    while (!isOver) {
      for (const [at, bytes] of (await now()).entries())
        most = Math.max(most, bytes - (idle[at] ?? bytes))
      await setTimeout(50)
    }
  })()
  return {
    /** Ends the measurement of a sync-worker's memory. Returns the highest growth in bytes. */
    async end(): Promise<number> {
      isOver = true
      await watching
      return most
    },
  }
}

/** Runs an export to its end. Returns the milliseconds from the request to the end. */
async function exportAll({ posthorn }: World, account: string, includeAttachments: boolean) {
  const from = performance.now()
  const { exportId } = await posthorn.createExport({
    account,
    body: {
      startDate: '2020-01-01T00:00:00Z',
      endDate: '2100-01-01T00:00:00Z',
      includeAttachments,
    },
  })
  for (;;) {
    const { status, error } = await posthorn.getExport({ account, exportId })
    if (status === 'completed') return { exportId, ms: performance.now() - from }
    if (status === 'failed') throw new Error(`export: ${error}`)
    await setTimeout(50)
  }
}

/** Time that plain libraries need to export the same mailboxes, in milliseconds. */
async function loopOf(client: ImapFlow, withAttachments: boolean): Promise<number> {
  const from = performance.now()
  const gzip = createGzip()
  gzip.resume()
  for (const path of exportPaths) {
    await client.mailboxOpen(path, { readOnly: true })
    for await (const { uid, flags, source } of client.fetch('1:*', {
      uid: true,
      flags: true,
      internalDate: true,
      source: true,
    })) {
      const { attachments, ...mail } = await simpleParser(source ?? '')
      const contents = withAttachments
        ? attachments.map(({ content }) => content.toString('base64'))
        : []
      const line = JSON.stringify({ uid, flags: [...(flags ?? [])], ...mail, contents })
      if (!gzip.write(`${line}\n`)) await once(gzip, 'drain')
    }
  }
  gzip.end()
  await once(gzip, 'end')
  return performance.now() - from
}

/**
 * Measures the delay of an account's new mail while its messages are exported, compared with new
 * mail before.
 */
async function benchNewMail(world: World, account: string, user: TestUser): Promise<Row> {
  const client = await logIn(user)
  const reference: number[] = []
  const measured: number[] = []
  await deliver(world, client)
  while (reference.length < deliveries) reference.push(await deliver(world, client))
  while (measured.length < deliveries) {
    let isRunning = true
    const running = exportAll(world, account, false).finally(() => {
      isRunning = false
    })
    while (isRunning && measured.length < deliveries) measured.push(await deliver(world, client))
    await running
  }
  await client.logout()
  return {
    what: '    IMAP APPEND → webhook received during the export, p99',
    measured: percentile(measured, 99),
    reference: percentile(reference, 99),
    unit: ' ms',
    referenceIs: 'without an export',
  }
}

/** Milliseconds from the IMAP server's reply to APPEND to the webhook of the message. */
async function deliver(world: World, client: ImapFlow): Promise<number> {
  await setTimeout(betweenMs)
  const messageId = freshMessageId()
  await client.append('INBOX', plainMessage({ messageId }))
  const appendedAt = Date.now()
  const webhook = await eventually(
    () => world.webhooks().find(({ data }) => data?.messageId === messageId) ?? false,
  )
  return webhook.request.receivedAt.getTime() - appendedAt
}

/** Measures the download of an export, and of the same bytes as a file from express. */
async function benchDownload(world: World, account: string, exportId: string): Promise<Row> {
  const headers = { authorization: `Bearer ${world.token}` }
  const url = `${world.url}/v1/account/${account}/export/${exportId}/download`
  const file = Buffer.from(await (await fetch(url, { headers })).arrayBuffer())
  const dir = await mkdtemp(join(tmpdir(), 'posthorn-bench-'))
  const path = join(dir, 'file')
  await writeFile(path, file)
  const server = express()
    .get('/', (_request, response) => response.sendFile(path))
    .listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const reference = file.length / mib / (await secondsOf(`http://127.0.0.1:${port}`, {}))
  const measured = file.length / mib / (await secondsOf(url, headers))
  server.close()
  await rm(dir, { recursive: true })
  return {
    what: '    download of the export',
    measured,
    reference,
    unit: ' MiB/s',
    referenceIs: 'file that express sends',
  }
}

/** Median duration of a file's download, in seconds. */
async function secondsOf(url: string, headers: Record<string, string>): Promise<number> {
  const times: number[] = []
  while (times.length < downloads) {
    const from = performance.now()
    const { body } = await fetch(url, { headers })
    for await (const _bytes of body ?? []);
    times.push((performance.now() - from) / 1_000)
  }
  return percentile(times, 50)
}
